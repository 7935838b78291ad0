package sandboxclient_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// TestMarkers: what was redacted is not written back, unless that is asked for.
func TestMarkers(t *testing.T) {
	for _, c := range []struct {
		data   string
		offset int // -1 if there is no marker
	}{
		{"token=[redacted:env:TOKEN]\n", 6},
		{"[redacted]", 0},
		{"[redacted", -1},
		{"the [redacted, and [redactedx]: ", -1},
		{"[redacted[redacted:a", 9},
		{"\xff[redacted:a]", 1},
		{"", -1},
	} {
		h := newHost()
		if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
			var marked *sandboxclient.MarkerError
			err := box.Write(ctx, "a", []byte(c.data))
			switch found := errors.As(err, &marked); {
			case found != (c.offset >= 0):
				t.Errorf("%q: %v", c.data, err)
			case found && marked.Offset != c.offset:
				t.Errorf("%q: at %d, want %d", c.data, marked.Offset, c.offset)
			}
			return box.Write(ctx, "b", []byte(c.data), sandboxclient.Force)
		}); err != nil {
			t.Fatal(err)
		}
		if _, written := h.files["a"]; written != (c.offset < 0) || h.files["b"] != c.data {
			t.Errorf("%q: the files are %q", c.data, h.files)
		}
	}
}

// TestDirectories: the commands behind the operations on directories, which no shell reads.
func TestDirectories(t *testing.T) {
	h := newHost()
	h.exec = h.programs
	h.files["/workspace/a/f"] = ""
	config := sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Cwd: "a", Manifest: &sandbox.Manifest{
		ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/data"}},
	}}}
	if err := run(t, h, func(ctx workflow.Context) error {
		box, err := client.Create(ctx, config)
		if err != nil {
			return err
		}
		for _, outside := range []string{"..", "/srv", "/srv/database", "/", "a\x00"} {
			if err := box.Mkdir(ctx, outside); sandboxclient.CodeOf(err) != backend.InvalidManifestPath {
				t.Errorf("mkdir %q: %v", outside, err)
			}
		}
		if box.Remove(ctx, ".") == nil || box.RemoveAll(ctx, "a/..") == nil {
			t.Error("the workspace was removed")
		}
		if err := box.Remove(ctx, "missing"); sandboxclient.CodeOf(err) != backend.ExecNonzero {
			t.Errorf("remove: %v", err)
		}
		if entries, err := box.List(ctx, "/srv/data"); err != nil || len(entries) != 0 {
			t.Errorf("list: %v, %v", entries, err)
		}
		return errors.Join(box.Mkdir(ctx, "a/./b"), box.Remove(ctx, "a/f"), box.RemoveAll(ctx, "-x y"))
	}); err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, args := range argsOf[operation.ExecArgs](h) {
		if !args.Shell.Off {
			t.Errorf("%v is read by a shell", args.Command)
		}
		got = append(got, args.Command)
	}
	want := [][]string{
		{"rm", "--", "/workspace/missing"},
		{"ls", "-la", "--", "/srv/data"},
		{"mkdir", "-p", "/workspace/a/b"},
		{"rm", "--", "/workspace/a/f"},
		{"rm", "-rf", "--", "/workspace/-x y"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
