package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestBubblewrapRefused checks what New says where bwrap cannot be used. That it can be is shown in
// integration_test/tools, for which it is installed.
func TestBubblewrapRefused(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} { // for the account of the sandbox, where the tests are root
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program := func(name, text string, mode os.FileMode) string {
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
