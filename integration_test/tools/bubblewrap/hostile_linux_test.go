package bubblewrap

import (
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// testHostile holds bwrap to the battery, each limit by itself: what is written to /tmp counts as memory, too. Where the
// kernel tells nobody of a limit, no result can name it.
func testHostile(t *testing.T) {
	can, err := local.Probe(t.Context(), local.Options{Launcher: local.Bubblewrap})
	if err != nil || can.Refusal != "" {
		t.Fatal(err, can.Refusal)
	}
	alone := map[string]bool{} // the limits of each process, of which the kernel tells nobody
	for _, c := range can.List {
		alone[c.Name] = c.Mechanism == "RLIMIT_AS of each process" || c.Mechanism == "RLIMIT_NPROC"
	}
	with := func(l sandbox.Limits) func(*testing.T) backend.Backend {
		return func(t *testing.T) backend.Backend {
			t.Helper()
			return bubblewrap(t, local.Options{Limits: l})
		}
	}
	sandboxtest.Hostile{
		New: with(sandbox.Limits{}), Local: true,
		Bounds: []sandboxtest.Bound{
			{Name: "memory", Unnamed: alone["limit of memory"], New: with(sandbox.Limits{Memory: 128 << 20})},
			{Name: "processes", Unnamed: alone["limit of processes"], New: with(sandbox.Limits{Processes: 64})},
			{Name: "disk", New: with(sandbox.Limits{Disk: 128 << 20})},
			{Name: "file_size", New: with(sandbox.Limits{FileSize: 1 << 20})},
			{Name: "open_files", Unnamed: true, New: with(sandbox.Limits{OpenFiles: 64})},
		},
	}.Run(t)
}
