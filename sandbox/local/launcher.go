package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Launcher says what keeps the commands of a sandbox from the rest of the host. The zero Launcher is [Native].
type Launcher int

// The launchers. On a host that cannot do what a launcher promises, [New] refuses, and no other is taken instead.
const (
	// Native isolates commands with namespaces of their own, which the worker's program makes itself: see [Init].
	// Linux only.
	Native Launcher = iota
	// Bubblewrap isolates as Native does, with the namespaces and the file system made by the program bwrap, in version
	// 0.7 or later: for hosts that let nothing else make user namespaces. It runs without rights, as the account of the
	// sandbox, which must be able to reach what Options.System names. Linux only.
	Bubblewrap
	// Unisolated keeps nothing apart: commands run with all rights of the worker's account.
	Unisolated
	// Landlock keeps commands from files, networks and processes of the host without namespaces, for hosts that let nobody
	// make them. It is degraded: what it does not keep apart is in docs/sandboxes.md, and it is never taken unless it is
	// named. It needs Linux 6.12. Linux only.
	Landlock
)

// launcherNames are those that policies and people use.
var launcherNames = map[Launcher]string{Native: "native", Bubblewrap: "bwrap", Unisolated: "unisolated", Landlock: "landlock"}

// String is the name of the launcher in policies, such as "native".
func (l Launcher) String() string {
	if name, ok := launcherNames[l]; ok {
		return name
	}
	return "unknown"
}

// Isolated reports whether the launcher keeps commands from the host and from each other, degraded or not.
func (l Launcher) Isolated() bool { return l == Native || l == Bubblewrap || l == Landlock }

// inPlace reports whether commands see the workspace where it is on the host.
func (l Launcher) inPlace() bool { return l == Unisolated || l == Landlock }

// cannotIsolate is the error of a launcher on a host that cannot do what it promises.
func cannotIsolate(l Launcher, why string) error {
	return &backend.Error{Code: backend.ExecTransport, Message: fmt.Sprintf("local: %s cannot isolate on this host, nothing was run: %s", l, why)}
}

// launcher runs the commands of sandboxes in some kind of isolation.
type launcher interface {
	// run runs a command to its end. When ctx ends, all its processes are ended before run returns with the cause.
	// An error with the code [backend.ExecTransport] says that nothing ran.
	run(ctx context.Context, c command) (backend.Result, error)
	// capabilities are what it does on this host.
	capabilities() []Capability
	// untold are the limits that commands are held to by what tells nobody but them that it was reached.
	untold() []backend.Limit
	// close gives up what the launcher has of the host. Nothing runs any more.
	close() error
}

// placed is a launcher that must be told the directory of the backend, before there is something in it.
type placed interface{ place(dir string) error }

// command is what a launcher runs: looked at, and in the sandbox's words.
type command struct {
	box            *box
	args           []string
	env            []string // as the caller wants it
	dir            string   // below the workspace, with slashes, "." for itself; or absolute, below a path grant
	stdin          io.Reader
	stdout, stderr io.Writer // never nil
	// output counts what goes to both, and said listens to one of them. Launchers need neither.
	output *capped
	said   *said
	// terminal has the command run on a terminal of its own, as the leader of a session that the terminal controls,
	// in place of the input and the outputs. It is called with the terminal's master once the command runs; whoever
	// set it reads that to its end and closes it. Nil is none.
	terminal func(master *os.File)
}

// directory is where the command starts, in the sandbox's words.
func (c command) directory() string {
	if path.IsAbs(c.dir) {
		return c.dir
	}
	return path.Join(c.box.root, c.dir)
}
