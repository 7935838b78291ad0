package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		o    local.Options
		want []string
	}{
		{"zero", local.Options{}, []string{"Dir must be an absolute path"}},
		{"unknown launcher", local.Options{Launcher: 7}, []string{"no such launcher: leave Launcher out"}},
		{"launcher that the policy does not allow", local.Options{Launcher: local.Unisolated, Launchers: []string{"native"}}, []string{"the policy does not allow unisolated"}},
		{"no launcher allowed", local.Options{Launchers: []string{}}, []string{"the policy does not allow the launcher native"}},
		{"limits that nothing holds", local.Options{Dir: "/no/such/parent", Launcher: local.Unisolated, Limits: sandbox.Limits{Memory: 1 << 30}}, []string{"unisolated can hold no limits but wall, output and disk"}},
		{"limits out of range", local.Options{Limits: sandbox.Limits{Memory: -1}}, []string{"Limits: ", "memory"}},
		{"directories", local.Options{ReadOnly: []string{"a", "b/c"}, System: []string{"opt", "/", "/opt", "/proc/1", "/etc", "/etc/passwd"}, FirstUID: -1, Bwrap: "bwrap"}, []string{
			"ReadOnly[1] must name", "System[0] must be a clean", "System[1] must be a clean", "System[3] must not be in /dev", "System[4] must not be", "System[5] must not be", "FirstUID must be", "Bwrap must be an absolute path",
		}},
		{"paths", local.Options{Paths: []local.Path{{Path: "/srv/a"}, {Path: "b"}, {Path: "/srv/c", Source: "/srv/../d"}, {Path: "/usr/share/e"}, {Path: "/srv/f", Source: "/proc/self/root"}}}, []string{
			"Paths[1]: its Path must be a clean", "Paths[2]: its Source must be a clean", "Paths[3]: its Path must not be at or in a directory of the system", "Paths[4]: its Source must not be at or in /dev",
		}},
		{"relative", local.Options{Dir: "x", Launcher: local.Unisolated}, []string{"Dir must be an absolute path"}},
		{"no parent", local.Options{Dir: "/no/such/parent", Launcher: local.Unisolated}, []string{"make its parent"}},
		{"the rest", local.Options{
			Dir: "/no/such/parent", Launcher: local.Unisolated, Path: "\x00", Git: "git", Grace: -time.Second,
			Roots: map[string]string{"a": "relative", "b/c": "/x"},
		}, []string{"Path must not hold NUL", "Git must be an absolute path", "Roots[a] must be an absolute path", "names in Roots", "must not be negative"}},
	} {
		b, err := local.New(c.o)
		if err == nil {
			t.Errorf("%s: taken", c.name)
			_ = b.Close()
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", c.name, err, want)
			}
		}
		for _, good := range []string{"ReadOnly[0]", "System[2]", "Paths[0]"} {
			if strings.Contains(err.Error(), good) {
				t.Errorf("%s: %v, blames %s", c.name, err, good)
			}
		}
	}
}

// TestDirectory checks that the directory is the backend's alone.
func TestDirectory(t *testing.T) {
	refused := func(what, dir, want string) {
		t.Helper()
		b, err := local.New(local.Options{Dir: dir, Launcher: local.Unisolated})
		if err == nil {
			_ = b.Close()
			t.Errorf("%s: taken", what)
		} else if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v, want %q and no path", what, err, want)
		}
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a file", file, "not a directory")
	shared := filepath.Join(dir, "shared")
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o750); err != nil {
		t.Fatal(err)
	}
	refused("a directory for others", shared, "mode 0700")

	own := filepath.Join(dir, "own")
	b, err := local.New(local.Options{Dir: own, Launcher: local.Unisolated})
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(own)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory: %v, %v", info.Mode(), err)
	}
	refused("a directory in use", own, "in use")
	if b.Isolation() != "unisolated" || b.Kind() != "unix_local" {
		t.Errorf("isolation %q, kind %q", b.Isolation(), b.Kind())
	}
	for range 2 {
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	again, err := local.New(local.Options{Dir: own, Launcher: local.Unisolated})
	if err != nil {
		t.Fatalf("after close: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
}
