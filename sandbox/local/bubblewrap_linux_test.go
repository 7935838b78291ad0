package local_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestBubblewrapRefused checks what New says where bwrap cannot be used. That it can be is shown in
// integration_test/tools, for which it is installed.
func TestBubblewrapRefused(t *testing.T) {
	dir := openDir(t) // for the account of the sandbox, where the tests are root
	program := programs(t, dir)
	fails := "#!/bin/sh\necho words of bwrap >&2\nexit 1\n"
	for _, c := range []struct {
		name string
		o    local.Options
		want string
	}{
		{"missing", local.Options{Path: dir}, "search for bwrap failed: install bubblewrap"},
		{"not where it should be", local.Options{Bwrap: filepath.Join(dir, "no")}, "search for bwrap failed: install bubblewrap"},
		{"not executable", local.Options{Bwrap: program("text", fails, 0o644)}, "search for bwrap failed: install bubblewrap"},
		{"set-user-ID", local.Options{Bwrap: program("setuid", fails, 0o755|os.ModeSetuid)}, "check of bwrap failed: its set-user-ID bit"},
		{"set-group-ID", local.Options{Bwrap: program("setgid", fails, 0o755|os.ModeSetgid)}, "check of bwrap failed: its set-user-ID bit"},
		{"fails", local.Options{Bwrap: program("fails", fails, 0o755)}, "bwrap failed: it ended before the sandbox was made"},
		{"no program", local.Options{Bwrap: program("garbage", "garbage", 0o755)}, "bwrap answered ENOEXEC: it ended before the sandbox was made"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.o.Dir, c.o.Launcher = filepath.Join(t.TempDir(), "b"), local.Bubblewrap
			b, err := local.New(c.o)
			if err == nil {
				_ = b.Close()
				t.Fatal("taken")
			}
			if want := "local: bwrap cannot isolate on this host, nothing was run: " + c.want; !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
			for _, not := range []string{dir, "words of bwrap"} {
				if strings.Contains(err.Error(), not) {
					t.Errorf("the error says %q: %v", not, err)
				}
			}
		})
	}
}

// programs returns what writes programs into a directory.
func programs(t *testing.T, dir string) func(name, text string, mode os.FileMode) string {
	t.Helper()
	return func(name, text string, mode os.FileMode) string {
		t.Helper()
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(p, mode); err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// TestBubblewrapLeaves checks that nothing stays of what bwrap started, if it ends before that knows of its end.
func TestBubblewrapLeaves(t *testing.T) {
	for name, how := range map[string]struct {
		start string
		root  bool // whether only root's worker can do it
	}{
		"in its group": {start: "sleep 1000 &"}, "in a session": {start: "setsid sleep 1000 &", root: true},
	} {
		t.Run(name, func(t *testing.T) {
			if how.root && os.Geteuid() != 0 {
				return
			}
			dir := openDir(t)
			if err := makePipes(dir); err != nil {
				t.Fatal(err)
			}
			h := openHold(t, dir)
			text := "#!/bin/sh\nexec 9>" + filepath.Join(dir, "hold") + "\necho >&9\n" + how.start + "\n"
			_, err := local.New(local.Options{
				Dir: filepath.Join(dir, "b"), Launcher: local.Bubblewrap, Bwrap: programs(t, dir)("leaves", text, 0o755), Grace: time.Millisecond,
			})
			if err == nil {
				t.Fatal("taken")
			}
			if err := h.keep.Close(); err != nil {
				t.Fatal(err)
			}
			_ = h.read.SetReadDeadline(time.Now().Add(patience))
			if got, err := io.ReadAll(h.read); err != nil || string(got) != "\n" {
				t.Errorf("it goes on: %q, %v", got, err)
			}
			_ = h.read.Close()
		})
	}
}
