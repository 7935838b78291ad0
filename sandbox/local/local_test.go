package local_test

import (
	"path/filepath"
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

func TestConformance(t *testing.T) {
	sandboxtest.Conformance{New: func(t *testing.T) backend.Backend { t.Helper(); return newBackend(t) }}.Run(t)
}
