package local_test

import (
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestHostileUnisolated shows that the probes can find something: this launcher keeps nothing apart, and says so.
func TestHostileUnisolated(t *testing.T) {
	findings := sandboxtest.Hostile{
		New:        func(t *testing.T) backend.Backend { t.Helper(); return newBackend(t) },
		Local:      true,
		Unisolated: true,
	}.Run(t)
	for _, f := range findings {
		switch f.Probe {
		// What needs no isolation: variables are no arguments, a command ends with its time, output is not kept, and
		// the worker's own operations stay in the workspace.
		case "report-values-in-arguments", "report-background", "report-output", "report-way-up":
			if !f.Safe {
				t.Errorf("%s: %s", f.Probe, f.Detail)
			}
		}
	}
}
