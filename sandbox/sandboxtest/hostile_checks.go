package sandboxtest

import (
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// check is one thing that a sandbox must not allow.
type check struct {
	id, tried string
	report    string // where the world was told of it
	scored    bool
	// open is whether everybody can do it where nothing is kept apart, whatever the account, and also if the host
	// itself is a container.
	open bool
	// run is nil for what the probe of that id shows alone.
	run func(*testing.T) probe.Report
}

// scored are the checks that backends are compared by.
func (b *battery) scored() []check {
	return []check{
		{id: "environment", open: true, tried: "Read variables of the worker in the environment of any process, the launcher's included."},
		{id: "arguments", open: true, run: b.arguments, tried: "Read a secret in the arguments of any process: from inside, and on the host while a command has it as a variable."},
		{id: "files", open: true, tried: "Read files of the worker by their paths, and through root, cwd and fd of any process in /proc."},
		{id: "neighbours", open: true, run: b.neighbours, tried: "Read a file of another sandbox, see one of its processes, send it a signal."},
		{id: "descriptors", open: true, tried: "Use a descriptor of the worker that programs inherit."},
		{id: "mounts", tried: "Mount, make the system writable, write to the host's system directories."},
		{id: "settings", tried: "Open settings of the host's kernel for writing, or what shows its memory for reading."},
		{id: "privileges", tried: "Keep capabilities, gain some by a setuid program, or go without a filter of system calls."},
		{id: "namespaces", tried: "Make namespaces with clone, clone3 and unshare, or enter those of others."},
		{id: "identity", run: b.identity, tried: "Be or become account 0 of the host."},
		{id: "sockets", open: true, tried: "Reach the hypervisor, the kernel's own protocols, and servers of the host over TCP, abstract and path sockets."},
		{id: "surfaces", tried: "Call io_uring, bpf, perf, userfaultfd, keys, handles, kexec, modules and the new mount calls."},
		{id: "memory", tried: "Open the memory of other processes, and the program of process 1 for writing."},
		{id: "terminal", tried: "Use the worker's terminal, or type into one with TIOCSTI."},
		{id: "devices", tried: "Find devices in /dev that programs do not need, and make one."},
		{id: "processes", open: true, run: b.processes, tried: "Outlive the timeout of the command with a tree of sessions, orphans and processes deaf to SIGTERM."},
		{id: "links", run: b.links, tried: "Have the host read its own files through symbolic and hard links in the workspace."},
	}
}

// checks are all of the battery in order.
func (b *battery) checks() []check {
	all := b.scored()
	for i := range all {
		all[i].scored = true
	}
	all = append(all, b.reports()...)
	for _, l := range b.Bounds {
		all = append(all, b.bound(l))
	}
	return all
}

// fault says what is wrong with a report, empty if nothing.
func (c check) fault(r probe.Report, h Hostile) string {
	unisolated := h.Unisolated
	reason, degraded := h.Degraded[c.id]
	switch {
	case degraded && r.Unknown:
		return "unknown: " + r.Detail
	case degraded && r.IsSafe():
		return "safe (" + r.Detail + "), although the backend says that it is not: " + reason
	case degraded:
		return ""
	case unisolated && r.Unknown:
		return "unknown: " + r.Detail
	case unisolated && c.open && r.IsSafe():
		return "safe (" + r.Detail + "), although nothing is kept apart: the probe is wrong, or the backend isolates more than it says"
	case !unisolated && !r.IsSafe():
		return strings.TrimSpace("unsafe: " + r.Detail + "\n" + c.tried + "\n" + c.report)
	}
	return ""
}
