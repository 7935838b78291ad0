package sandboxhost_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// remote is a backend of a kind whose states callers could not read.
type remote struct{ backend.Backend }

func (remote) Kind() string { return "e2b" }

func TestNew(t *testing.T) {
	dir := t.TempDir()
	own, open, file := filepath.Join(dir, "own"), filepath.Join(dir, "open"), filepath.Join(dir, "file")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fake := sandboxtest.NewFake()
	for _, c := range []struct {
		name, provider string
		backend        backend.Backend
		options        sandboxhost.Options
		want           []string
	}{
		{"good", "local", fake, sandboxhost.Options{Dir: own}, nil},
		{"all at once", "", fake, sandboxhost.Options{IdleTimeout: -1, MaxLifetime: -time.Second, MaxOutput: 1, MaxConcurrent: 1}, []string{
			"provider needs a name", "Options.Dir is required", "Options.IdleTimeout", "Options.MaxLifetime", "Options.MaxOutput", "Options.MaxConcurrent",
		}},
		{"no backend", "local", nil, sandboxhost.Options{Dir: own}, []string{"backend is required"}},
		{"remote kind", "local", remote{fake}, sandboxhost.Options{Dir: own}, []string{"kind must be"}},
		{"relative", "local", fake, sandboxhost.Options{Dir: "state"}, []string{"must be absolute"}},
		{"slots", "local", fake, sandboxhost.Options{Dir: own, MaxConcurrent: 4, ReservedSlots: 4}, []string{"smaller than MaxConcurrent"}},
		{"few slots", "local", fake, sandboxhost.Options{Dir: own, MaxConcurrent: 2}, nil},
		{"not a directory", "local", fake, sandboxhost.Options{Dir: file}, []string{"the directory of records cannot be made"}},
		{"open to others", "local", fake, sandboxhost.Options{Dir: open}, []string{"0700"}},
	} {
		if c.name == "open to others" && runtime.GOOS == "windows" {
			continue // which has no such modes
		}
		host, err := sandboxhost.New(c.provider, c.backend, c.options)
		if err == nil {
			host.Close()
		}
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), dir) {
				t.Errorf("%s: %v, want %q", c.name, err, want)
			}
		}
	}
	if info, err := os.Stat(own); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
		t.Errorf("Dir: %v, %v", info.Mode(), err)
	}
}
