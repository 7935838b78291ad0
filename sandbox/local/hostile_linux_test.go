package local_test

import (
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestHostileUnisolated shows that the probes can find something: this launcher keeps nothing apart, and says so.
func TestHostileUnisolated(t *testing.T) {
	sandboxtest.Hostile{
		New:        func(t *testing.T) backend.Backend { t.Helper(); return newBackend(t) },
		Local:      true,
		Unisolated: true,
	}.Run(t)
}
