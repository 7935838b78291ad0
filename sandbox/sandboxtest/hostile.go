package sandboxtest

import (
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// Hostile is the battery of probes that a backend's isolation is held to, on the host that it is run on. Each probe is
// a program in a sandbox that tries what a sandbox must not allow, such as to read the worker's environment. It is for
// Linux sandboxes: elsewhere no probe can say that anything is safe.
//
// The probes are the test's own executable, so its TestMain must call [Init]. They undo what they manage to do, and on
// a backend that isolates nothing they change nothing of the host. The battery changes the environment and the working
// directory of the test, and opens descriptors that programs inherit, so nothing else may run at the same time.
type Hostile struct {
	// New returns a backend without sandboxes and closes it when the test ends. It runs in an empty directory: paths
	// relative to the package mean nothing there. Required.
	New func(t *testing.T) backend.Backend
	// Program is the path of the executable that is put into sandboxes, whose main function must call [Init] first.
	// Empty means that of the test. It is for sandboxes that the test's own cannot run in: another architecture, or
	// no C library.
	Program string
	// Local says that the processes of sandboxes are processes of this host, so that it can be seen from outside
	// what can be seen of them.
	Local bool
	// Unisolated says that the backend keeps nothing apart, and nobody believes that it does. Then no probe fails the
	// test for what it got at, but those do that could not be run, and those that found nothing where everybody can
	// get at something: the battery itself is tested.
	Unisolated bool
	// Degraded are the scored probes that the backend says it is not safe from, each with the reason. What one of them gets
	// at does not fail the test; that one gets at nothing does, so that the list holds no more than is true.
	Degraded map[string]string
	// Bounds are the limits that the backend sets for commands. The battery shows of each that it stops a command.
	Bounds []Bound
}

// Bound is a limit that a backend sets for each command of a sandbox.
type Bound struct {
	// Name is that of the [backend.Limit]: "memory", "processes", "disk" (of /tmp), "file_size" or "open_files". They
	// must be less than 256 MiB, 300 processes and 2048 open files, which is where the battery stops. A disk that bounds
	// the workspace, too, must have room for the probes' program.
	Name string
	// Unnamed says that results need not tell of the limit, as where the kernel tells nobody.
	Unnamed bool
	// New returns a backend with that limit, as New of [Hostile] does, which it is if it is nil. It is for limits that
	// are too narrow for other probes, which need about 64 MiB of memory, 1 GiB of addresses and room for the executable
	// in the workspace, or for each other.
	New func(t *testing.T) backend.Backend
}

// Finding is what the battery found out about one thing that a sandbox must not allow.
type Finding struct {
	// Probe is an id that stays the same in all versions.
	Probe string
	// Tried is what was tried, in one sentence.
	Tried string
	// Safe is whether it failed.
	Safe bool
	// Detail says how often it was tried, or what was got at. It quotes nothing that was read.
	Detail string
	// Scored is whether it is one of the 17 that backends are compared by. The others are limits, and reports about
	// other sandboxes.
	Scored bool
}

// initialised is whether [Init] was called.
var initialised bool

// Run runs the battery and returns what it found, scored probes first; the table of it ends the test's log. Each
// unsafe finding fails the test, if the backend does not say that it is unisolated. Run is not for tests that run in
// parallel.
func (h Hostile) Run(t *testing.T) []Finding {
	t.Helper()
	if h.Program == "" && !initialised {
		t.Fatal("sandboxtest: call sandboxtest.Init first in TestMain: the probes are the test's own executable")
	}
	b := h.battery(t)
	var out []Finding
	for _, c := range b.checks() {
		t.Run(c.id, func(t *testing.T) {
			r := b.check(t, c)
			out = append(out, Finding{Probe: c.id, Tried: c.tried, Safe: r.IsSafe(), Detail: r.Detail, Scored: c.scored})
			if fault := c.fault(r, h); fault != "" {
				t.Error(fault)
			}
		})
	}
	t.Logf("%s\n%s", b.backend.Isolation(), Table(out))
	return out
}

// Table returns findings as a table for people, after a line that says how many of the scored ones are safe.
func Table(findings []Finding) string {
	var out strings.Builder
	safe, scored := 0, 0
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "PROBE\tRESULT\tDETAIL")
	for _, f := range findings {
		result := "UNSAFE"
		if f.Safe {
			result = "safe"
		}
		if f.Scored {
			scored++
			if f.Safe {
				safe++
			}
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", f.Probe, result, f.Detail)
	}
	_ = w.Flush() // into memory
	return fmt.Sprintf("%d of %d safe\n%s", safe, scored, out.String())
}

// check runs one check.
func (b *battery) check(t *testing.T, c check) probe.Report {
	t.Helper()
	if c.run == nil {
		return b.probe(t, b.box, c.id, b.task)
	}
	return c.run(t)
}
