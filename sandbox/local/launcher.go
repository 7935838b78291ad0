package local

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Launcher says what keeps the commands of a sandbox from the rest of the host. The zero Launcher is none: [New]
// refuses it, so that nobody gets less than was asked for by leaving a field out.
type Launcher int

// The launchers.
const (
	noLauncher Launcher = iota
	// Unisolated keeps nothing apart: commands run with all rights of the worker's account.
	Unisolated
)

// String is what people are shown.
func (l Launcher) String() string {
	switch l {
	case noLauncher:
		return "none"
	case Unisolated:
		return "unisolated"
	}
	return "unknown"
}

// launcher runs the commands of sandboxes in some kind of isolation.
type launcher interface {
	// run runs a command to its end. When ctx ends, all its processes are ended before run returns with the cause.
	// An error with the code [backend.ExecTransport] says that nothing ran.
	run(ctx context.Context, c command) (backend.Result, error)
}

// command is what a launcher runs: looked at, and in the sandbox's words.
type command struct {
	box            *box
	args           []string
	env            []string // as the caller wants it
	dir            string   // below the workspace, with slashes; "." is the workspace itself
	stdin          io.Reader
	stdout, stderr io.Writer // never nil
	// terminal has the command run on a terminal of its own, as the leader of a session that the terminal controls,
	// in place of the input and the outputs. It is called with the terminal's master once the command runs; whoever
	// set it reads that to its end and closes it. Nil is none.
	terminal func(master *os.File)
}

// newLauncher returns the launcher for l.
func newLauncher(l Launcher) (launcher, error) {
	switch l {
	case Unisolated:
		return unisolated{}, nil
	case noLauncher:
	}
	return nil, errors.New("local: no launcher: say Launcher: local.Unisolated, and read there what that means")
}
