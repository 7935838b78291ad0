package sandboxtest

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// reports are what was reported of other sandboxes, each with what is right.
func (b *battery) reports() []check {
	return []check{
		{
			id: "report-launcher-environment", open: true, run: b.as("environment"),
			tried:  "A launcher clears the environment of the command, but not its own, which the command reads as that of process 1.",
			report: "https://github.com/containers/bubblewrap/issues/725",
		},
		{
			id: "report-values-in-arguments", run: b.valuesInArguments,
			tried:  "A launcher is given variables as arguments, which everybody on the host can read.",
			report: "https://github.com/Harsh-2002/Orva/issues/74",
		},
		{
			id: "report-remount", run: b.as("mounts"),
			tried:  "A command as account 0 makes a read-only mount writable again.",
			report: "https://github.com/containers/bubblewrap/issues/287",
		},
		{
			id: "report-program-of-init", run: b.as("memory"),
			tried:  "A command overwrites the program of process 1, which the host runs again (CVE-2019-5736).",
			report: "https://github.com/containers/bubblewrap/issues/313",
		},
		{
			id: "report-reconnect", open: true, run: b.as("reconnect"),
			tried:  "A pair of datagram sockets is connected to a server that no new socket may reach; a pair of streams must work.",
			report: "https://github.com/trpc-group/trpc-agent-go/issues/2426",
		},
		{
			id: "report-background", run: b.background,
			tried:  "A command that has a child in a session of its own, which holds the output, does not end with its time.",
			report: "https://github.com/langfuse/langfuse/issues/15955",
		},
		{
			id: "report-output", run: b.output,
			tried:  "A command puts out more than the worker has memory for.",
			report: "https://github.com/UKGovernmentBEIS/inspect_ai/issues/3534",
		},
		{
			id: "report-way-up", run: b.wayUp,
			tried:  "A file name with ways up is read and written.",
			report: "https://github.com/OpenBMB/XAgent/issues/429",
		},
		{
			id: "report-interrupt", run: b.interrupt,
			tried:  "Ctrl-C at a terminal ends more than the foreground.",
			report: "https://github.com/RisorseArtificiali/lince/issues/274",
		},
		{
			id: "report-password", run: b.password,
			tried:  "A password that is typed at a terminal without echo is in what the terminal shows.",
			report: "https://github.com/ryantsai/KKTerm/pull/576",
		},
	}
}

// as runs the probe that shows what was reported.
func (b *battery) as(name string) func(*testing.T) probe.Report {
	return func(t *testing.T) probe.Report {
		t.Helper()
		return b.probe(t, b.box, name, b.task)
	}
}

// valuesInArguments is of the host's side alone: it needs no isolation.
func (b *battery) valuesInArguments(t *testing.T) probe.Report {
	t.Helper()
	const id = "report-values-in-arguments"
	value := "value-" + b.task.Token
	cmd := command("hold")
	cmd.Env = []string{"SECRET=" + value}
	if _, ok := held(t, b.box, cmd); !ok {
		return errHeld(id)
	}
	task := b.task
	task.Canary = value
	reports := []probe.Report{b.probe(t, b.box, "arguments", task)}
	if b.Local {
		if got := seen(value); len(got) > 0 {
			reports = append(reports, probe.Unsafe(id, got[0]))
		}
	}
	return worse(reports...)
}

// The amount of output, and of memory that the worker may take from the system for it.
const (
	outputBytes  = 256 << 20
	outputMemory = 32 << 20
)

// output is counted, not kept.
func (b *battery) output(t *testing.T) probe.Report {
	t.Helper()
	const id = "report-output"
	debug.FreeOSMemory() // what the process took before and has no use for would serve for what is kept
	var count gauge
	before := memory()
	result, err := b.box.Exec(t.Context(), backend.Command{
		Args: []string{"sh", "-c", fmt.Sprintf("yes | head -c %d; exit 7", outputBytes)}, Stdout: &count, Timeout: 2 * time.Minute,
	})
	switch grown := max(count.most, memory()) - before; {
	case err != nil || result.ExitCode != 7 || count.bytes != outputBytes:
		return probe.Unsafe(id, fmt.Sprintf("%d of %d bytes came, exit code %d in place of 7, error %v", count.bytes, outputBytes, result.ExitCode, err))
	case grown > outputMemory:
		return probe.Unsafe(id, fmt.Sprintf("the worker took %d MiB of memory", grown>>20))
	}
	return probe.Safe(id, "256 MiB came whole")
}

// wayUp reads and writes through the operations of a sandbox what lies outside of the workspace.
func (b *battery) wayUp(t *testing.T) probe.Report {
	t.Helper()
	const id = "report-way-up"
	names := []string{"../../etc/passwd", "../../../../../../../../etc/passwd", "x/../../../etc/passwd", "/etc/passwd", "./../etc/passwd"}
	for _, file := range b.task.Files {
		names = append(names, file, "../../../../../../../../../../.."+file, "/proc/self/root"+file)
	}
	for _, name := range names {
		data, err := b.box.Read(t.Context(), name)
		if err == nil {
			return probe.Unsafe(id, fmt.Sprintf("%d bytes were read of a file outside", len(data)))
		}
		var e *backend.Error
		if !errors.As(err, &e) || bytes.Contains([]byte(e.Message), []byte(b.task.Canary)) {
			return probe.Unsafe(id, "the refusal is not one that may be shown")
		}
	}
	return probe.Safe(id, fmt.Sprintf("%d names", len(names)))
}

// gauge counts what is written, and looks now and then how much memory the worker has meanwhile.
type gauge struct {
	bytes int
	most  int64
}

func (g *gauge) Write(data []byte) (int, error) {
	const every = outputMemory
	if before := g.bytes; before == 0 || before/every != (before+len(data))/every {
		g.most = max(g.most, memory())
	}
	g.bytes += len(data)
	return len(data), nil
}

// memory is what this process has from the system, in bytes.
func memory() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys) - int64(m.HeapReleased) //nolint:gosec // far below
}
