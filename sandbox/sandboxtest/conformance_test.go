package sandboxtest_test

import (
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestConformance holds the backend in memory to what the others are held to. Its shell is none: the suite's scripts
// are for a real one.
func TestConformance(t *testing.T) {
	sandboxtest.Conformance{
		New:        func(*testing.T) backend.Backend { return sandboxtest.NewFake() },
		NoCommands: true,
	}.Run(t)
}

// TestConformanceBehindFaults holds what adds faults to leaving everything else as it is.
func TestConformanceBehindFaults(t *testing.T) {
	sandboxtest.Conformance{
		New:        func(*testing.T) backend.Backend { return sandboxtest.NewFaults(sandboxtest.NewFake()) },
		NoCommands: true,
	}.Run(t)
}
