package backend

import "context"

// Terminals is implemented by a [Sandbox] whose commands can be talked to while they run. A sandbox without it has
// none of that.
type Terminals interface {
	// OpenTerminal starts a command and returns while it runs. With tty it has a terminal of its own, of 80 columns
	// and 24 lines, from which it reads and which puts all that it writes into Stdout, with what is typed echoed and
	// with carriage returns. Without, it reads nothing, and writes to Stdout and Stderr as in Exec. It begins a
	// session, with the default disposition of every signal. Stdin and Timeout of the command do not count.
	//
	// It runs until it ends by itself, until [Terminal.Kill], Stop or Delete, until a Write to Stdout or Stderr fails,
	// or until it has reached a limit of the backend, as in Exec. The end of ctx ends it only before OpenTerminal has returned. An error with the code [ExecTransport] says
	// that nothing ran; it may also be that of [Terminal.Result].
	OpenTerminal(ctx context.Context, cmd Command, tty bool) (Terminal, error)
}

// Terminal is a command that was started by [Terminals]. Its methods may be called at the same time.
type Terminal interface {
	// Write gives the command input, as if it was typed: control characters do what they do at a terminal. It waits
	// for a command that does not read, until ctx ends; a part may have been typed then. It fails if there is no
	// terminal, or nobody at it any more.
	Write(ctx context.Context, input []byte) error
	// Done is closed when the command is over, as in Exec, and all that it put out was written.
	Done() <-chan struct{}
	// Result is what became of the command, once it is done. The error says that it was not started, or what ended
	// it from outside.
	Result() (Result, error)
	// Kill ends the command, and does not wait for its end. Killing it again does nothing.
	Kill()
}
