package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// newBackend returns a backend over a new directory.
func newBackend(t *testing.T, change ...func(*local.Options)) *local.Backend {
	t.Helper()
	o := local.Options{Dir: filepath.Join(t.TempDir(), "sandboxes"), Launcher: local.Unisolated, Grace: 100 * time.Millisecond}
	for _, c := range change {
		c(&o)
	}
	passable(t, o)
	b, err := local.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

// passable lets the accounts of sandboxes pass a directory of this test, which those of Landlock have to.
func passable(t *testing.T, o local.Options) {
	t.Helper()
	if o.Launcher != local.Landlock {
		return
	}
	if err := os.Chmod(filepath.Dir(t.TempDir()), 0o711); err != nil {
		t.Fatal(err)
	}
}

// TestConformance holds every launcher to the contract. Where the host cannot run one, its refusal is what is looked at.
func TestConformance(t *testing.T) {
	t.Parallel() // most of its time it waits, as TestAsOrdinaryUser does
	for _, l := range []local.Launcher{local.Native, local.Landlock, local.Unisolated} {
		t.Run(l.String(), func(t *testing.T) {
			if refused(t, l) {
				return
			}
			sandboxtest.Conformance{New: func(t *testing.T) backend.Backend {
				t.Helper()
				return newBackend(t, func(o *local.Options) { o.Launcher = l })
			}}.Run(t)
		})
	}
}

// refused reports whether this host cannot run a launcher. What New says then must tell why.
func refused(t *testing.T, l local.Launcher) bool {
	t.Helper()
	o := local.Options{Dir: filepath.Join(t.TempDir(), "b"), Launcher: l}
	passable(t, o)
	b, err := local.New(o)
	if err == nil {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		t.Logf("this host runs the launcher %s", l)
		return false
	}
	if b != nil || !strings.Contains(err.Error(), "cannot isolate on this host, nothing was run: ") {
		t.Errorf("New: %v, %v", b, err)
	}
	t.Logf("this host refuses the launcher %s: %v", l, err)
	return true
}
