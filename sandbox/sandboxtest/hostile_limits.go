package sandboxtest

import (
	"slices"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// tried is what is tried against the limits, by name.
var tried = map[string]string{
	"memory":     "Keep 256 MiB in memory.",
	"processes":  "Start 300 processes.",
	"disk":       "Put 256 MiB into /tmp.",
	"file_size":  "Write a file of 256 MiB.",
	"open_files": "Open 2048 files.",
}

// scripts try what a program that is told nothing of limits does, since one of Go needs more memory and disk than some
// limits leave it, and does not die of a large file.
var scripts = map[string]string{
	"memory":    "head -c 268435456 /dev/zero | tail -n 1 > /dev/null",
	"file_size": "exec head -c 268435456 /dev/zero > sandboxguard-big",
	// The files are small for the limit of one. If it is stopped they stay: that nothing fits any more is how a backend knows.
	"disk": "mkdir /tmp/sandboxguard-probe-$$ && cd /tmp/sandboxguard-probe-$$ || exit; " +
		"i=0; while [ $i -lt 256 ]; do head -c 1048576 /dev/zero > $i || exit; i=$((i+1)); done; rm -r /tmp/sandboxguard-probe-$$",
}

// bound returns the check that a limit stops a command, and that the result says so.
func (b *battery) bound(l Bound) check {
	id := "limit-" + l.Name
	return check{id: id, tried: tried[l.Name], run: func(t *testing.T) probe.Report {
		t.Helper()
		if tried[l.Name] == "" {
			return probe.Unknown(id, "there is no such limit")
		}
		script, scriptable := scripts[l.Name]
		with, s := *b, b.box
		if l.New != nil {
			with.backend = l.New(t)
		}
		switch {
		case scriptable:
			s = with.bare(t, idTwo)
		case l.New != nil:
			s = with.sandbox(t, idTwo)
		}
		var r probe.Report
		var result backend.Result
		if scriptable {
			r, result = scripted(t, s, id, script)
		} else {
			r, result = b.probed(t, s, id, b.task)
		}
		switch reached := named(result, l.Name); {
		case reached && killed(result.ExitCode):
			return probe.Safe(id, "the command was ended") // the limit met the probe itself
		case !reached && !l.Unnamed && r.IsSafe():
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

// scripted runs a script that succeeds if nothing stops it.
func scripted(t *testing.T, s backend.Sandbox, id, script string) (probe.Report, backend.Result) {
	t.Helper()
	const notFound, notExecutable = 127, 126
	result, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", script}, Timeout: wait})
	switch exit := result.ExitCode; {
	case err != nil:
		return probe.Unknown(id, "the command could not be run: "+err.Error()), result
	case exit == 0:
		return probe.Unsafe(id, "nothing stopped the command"), result
	case exit == notFound || exit == notExecutable:
		return probe.Unknown(id, "the sandbox needs the programs sh, head, tail, mkdir and rm"), result
	}
	return probe.Safe(id, "the command was stopped"), result
}
