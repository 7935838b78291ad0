package local

import (
	"context"
	"errors"
	"io"
	"time"
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

// launcher runs commands in some kind of isolation.
type launcher interface {
	// run runs a process to its end and returns its exit code, -N for signal N. When ctx ends, all processes that
	// it started are ended before run returns with the cause. A [notStarted] error says that nothing ran.
	run(ctx context.Context, p process) (exit int, err error)
}

// process is what a launcher starts. All paths are those of the host.
type process struct {
	program        string   // its path, absolute or relative to dir
	argv           []string // its name and its arguments, which it may print
	env            []string
	dir            string
	records        string // where it is noted while it runs
	stdin          io.Reader
	stdout, stderr io.Writer
	grace          time.Duration
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

// notStarted is the error for a process of which nothing ran.
type notStarted struct{ again bool }

func (notStarted) Error() string { return "local: the process could not be started" }
