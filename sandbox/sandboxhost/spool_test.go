package sandboxhost_test

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

var spooled = regexp.MustCompile(`\n\[\.\.\. (\d+) bytes left out; (all of it|its beginning, as much as is kept,) is in (\.sandboxguard-output/[a-z2-7]{8}\.(?:stdout|stderr)) \.\.\.\]\n`)

// TestSpool checks that output which is too long to be returned is in a file of the workspace, without secrets, however
// it comes, and that its length is told.
func TestSpool(t *testing.T) {
	token := secretstest.Canary(t)
	b := newBinder(t, map[string]string{"env:PROD_TOKEN": token})
	w := owner
	w.binder = b
	filler := strings.Repeat("0123456789", 200)
	for name, c := range map[string]struct {
		room int64
		says string
		part int
	}{
		"whole":        {1 << 20, "all of it", 1 << 20},
		"in bytes":     {1 << 20, "all of it", 1},
		"in pieces":    {1 << 20, "all of it", 700},
		"not all":      {1500, "its beginning, as much as is kept,", 64},
		"just as much": {2007 + int64(len("[redacted:env:PROD_TOKEN]")), "all of it", 64},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(o *sandboxhost.Options) { o.MaxOutput, o.MaxSpool = 1024, c.room })
			state := r.create(withToken())
			r.fake.Handle("leak", func(_ context.Context, cmd backend.Command) int {
				_, value, _ := strings.Cut(cmd.Env[0], "=")
				for out := "first " + filler + value + "\n"; out != ""; {
					n := min(c.part, len(out))
					_, _ = cmd.Stdout.Write([]byte(out[:n]))
					out = out[n:]
				}
				_, _ = cmd.Stderr.Write([]byte("short"))
				return 0
			})
			out, err := r.exec(w, state, "leak")
			if err != nil {
				t.Fatal(err)
			}
			want := "first " + filler + "[redacted:env:PROD_TOKEN]\n"
			found := spooled.FindSubmatch(out.Stdout)
			if found == nil || string(found[2]) != c.says {
				t.Fatalf("the output says nothing of a file, or %q: %.100q", found, out.Stdout)
			}
			file, err := call[operation.DataResult](r, w, operation.Read, operation.ReadArgs{State: state, Path: string(found[3])})
			if err != nil {
				t.Fatal(err)
			}
			if got, full := string(file.Data), want[:min(int(c.room), len(want))]; got != full {
				t.Errorf("the file has %d bytes, ending in %.40q, want %d", len(got), got[max(0, len(got)-40):], len(full))
			}
			if out.StdoutBytes != int64(len(want)) || out.StderrBytes != 0 || string(out.Stderr) != "short" {
				t.Errorf("bytes %d and %d, want %d and nothing for what is there, %q", out.StdoutBytes, out.StderrBytes, len(want), out.Stderr)
			}
		})
	}
}

// TestNoSpool checks that nothing is kept where that is not wanted, or not needed.
func TestNoSpool(t *testing.T) {
	for name, max := range map[string]int64{"off": -1, "on": 0} {
		r := newRig(t, func(o *sandboxhost.Options) { o.MaxOutput, o.MaxSpool = 1024, max })
		state := r.create(sandbox.Manifest{})
		length := 1024
		if max < 0 {
			length++
		}
		r.fake.Handle("long", func(_ context.Context, cmd backend.Command) int {
			_, _ = cmd.Stdout.Write(make([]byte, length))
			return 0
		})
		out, err := r.exec(owner, state, "long")
		if err != nil || strings.Contains(string(out.Stdout), backend.SpoolDir) || strings.Contains(strings.Join(r.fake.Effects(), " "), backend.SpoolDir) {
			t.Errorf("%s: %v, %.60q", name, err, out.Stdout)
		}
	}
}
