package sandboxtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// fileSize is the name of the one limit that ends the command itself.
const fileSize = "file size"

// tried is what is tried against the limits, by name.
var tried = map[string]string{
	"memory":      "Touch 256 MiB of memory.",
	"processes":   "Start 300 processes.",
	"disk":        "Put 256 MiB into /tmp.",
	fileSize:      "Write a file of 256 MiB.",
	"descriptors": "Open 65536 files.",
}

// check shows that a limit stops a command, and that the result says so.
func (l Bound) check() check {
	return check{id: "limit-" + l.Name, tried: tried[l.Name], run: func(b *battery, t *testing.T) probe.Report {
		t.Helper()
		id := "limit-" + l.Name
		if tried[l.Name] == "" {
			return probe.Unsafe(id, "there is no such limit")
		}
		s := b.sandbox(t, idTwo)
		var r probe.Report
		var result backend.Result
		if l.Name == fileSize {
			r, result = bigFile(t, s, id)
		} else {
			r, result = b.probed(t, s, id, b.task)
		}
		if killed(result.ExitCode) {
			r = probe.Safe(id, "the command was ended") // the limit met the probe itself
		}
		if r.IsSafe() && !l.Unnamed && !named(result, l.Name) {
			return probe.Unsafe(id, "the command was stopped, but Result.Reached does not name the limit, its value and its mechanism")
		}
		return r
	}}
}

// killed reports whether a signal ended the command, told by itself or by a shell or launcher.
func killed(exit int) bool { return exit < 0 || exit > 128 }

// named reports whether a result says that the limit was reached.
func named(result backend.Result, name string) bool {
	return slices.ContainsFunc(result.Reached, func(l backend.Limit) bool {
		return l.Name == name && l.Value != "" && l.Mechanism != ""
	})
}

// bigFile writes a file with a program that does nothing about the signal that a large one brings.
func bigFile(t *testing.T, s backend.Sandbox, id string) (probe.Report, backend.Result) {
	t.Helper()
	const bytes = 256 << 20
	result, err := s.Exec(t.Context(), backend.Command{
		Args: []string{"sh", "-c", fmt.Sprintf("exec head -c %d /dev/zero > sandboxguard-big", bytes)}, Timeout: wait,
	})
	switch {
	case err != nil:
		return probe.Unsafe(id, "the command could not be run: "+err.Error()), result
	case result.ExitCode == 0:
		return probe.Unsafe(id, "256 MiB in one file"), result
	}
	return probe.Safe(id, "the command was stopped"), result
}
