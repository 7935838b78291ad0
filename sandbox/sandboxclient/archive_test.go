package sandboxclient_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"strings"
	"testing"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// TestCompressed: an archive in which no marker can be seen is not unpacked, unless that is asked for.
func TestCompressed(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte("token=[redacted:env:TOKEN]"))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, archive string
		refused       bool
	}{
		{"gzip", packed.String(), true},
		{"bzip2", "BZh91AY&SY...", true},
		{"xz", "\xfd7zXZ\x00...", true},
		{"zstd", "\x28\xb5\x2f\xfd...", true},
		{"compress", "\x1f\x9d...", true},
		{"a file whose name begins as bzip2 does", "BZhou.txt\x00\x00", false},
		{"tar", "./a\x00", false},
		{"nothing", "", false},
	} {
		h := newHost()
		if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
			err := box.Hydrate(ctx, []byte(c.archive))
			if errors.Is(err, sandboxclient.ErrCompressed) != c.refused {
				t.Errorf("%s: %v", c.name, err)
			}
			if c.refused != (len(h.seen()) == 0) {
				t.Errorf("%s: the host saw %v", c.name, h.seen())
			}
			return box.Hydrate(ctx, []byte(c.archive), sandboxclient.Force)
		}); err != nil {
			t.Errorf("%s, by force: %v", c.name, err)
		}
	}
}

// TestCompressedBefore: a run that unpacked compressed archives before they were refused goes on with it.
func TestCompressedBefore(t *testing.T) {
	h := newHost()
	env := environment(h)
	env.OnGetVersion("sandboxclient-hydrate-compressed", workflow.DefaultVersion, workflow.Version(1)).Return(workflow.DefaultVersion)
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		box, err := client.Create(ctx, empty)
		if err != nil {
			return err
		}
		return box.Hydrate(ctx, []byte("\x1f\x8b"+strings.Repeat("x", 10)))
	})
	if err := env.GetWorkflowError(); err != nil || len(argsOf[operation.HydrateArgs](h)) != 1 {
		t.Errorf("%v after %v", err, h.seen())
	}
}
