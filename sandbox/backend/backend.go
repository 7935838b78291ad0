package backend

import (
	"context"
	"io"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// Backend makes sandboxes.
type Backend interface {
	// Kind is the type of the session states of these sandboxes, such as [sandbox.ClientUnixLocal].
	Kind() string
	// Isolation says in a few words what keeps a sandbox from the rest of the host, such as "unisolated". It is
	// shown to people.
	Isolation() string
	// Create makes a sandbox that is not started, or returns the one that has that id already. It refuses, with
	// an [Error], what the sandbox could not do as asked.
	Create(ctx context.Context, spec Spec) (Sandbox, error)
	// Open returns the sandbox with that id, also one that an earlier process of the host made; nothing that such
	// a process started in it runs on. The error is [ErrNotFound] if there is none.
	Open(ctx context.Context, spec Spec) (Sandbox, error)
	// List returns the ids of all sandboxes there are, also of those that are not fully removed.
	List(ctx context.Context) ([]string, error)
	// Delete removes the sandbox with that id and all it has. It succeeds if there is none.
	Delete(ctx context.Context, id string) error
}

// Describer is implemented by a [Backend] that can say how it keeps sandboxes apart.
type Describer interface {
	// Describe returns what is kept apart and what is bounded, each with the mechanism that this host has for it, and
	// why it is not a better one. It is for the log of a host: it names nothing of the host's own, such as a path.
	Describe() []string
}

// Spec is what a sandbox is made of.
type Spec struct {
	// ID is unique among the sandboxes of a backend: a lower-case UUID.
	ID string
	// Manifest says what is in the workspace. Its secrets are references: the host hands their values over with
	// each command.
	Manifest sandbox.Manifest
	// Options are those of the kind of sandbox. Nil means the defaults.
	Options *sandbox.ClientOptions
}

// Sandbox is one sandbox.
type Sandbox interface {
	// Start puts what the manifest lists into the workspace and lets commands run. In a workspace that was filled
	// before, only ephemeral entries are put there again.
	Start(ctx context.Context) error
	// Running reports whether commands can run: after Start and before Stop, Delete or the end of the process.
	Running(ctx context.Context) (bool, error)
	// Exec runs a command to its end. When ctx ends, or the timeout is over, the processes of the command are ended
	// first; the result then says what is known besides the error. Those that it made independent of itself, as
	// in a session of their own, may go on until Stop or Delete. An error that is no [Error] with the code
	// [ExecTransport] says nothing about whether the command ran.
	Exec(ctx context.Context, cmd Command) (Result, error)
	// Read returns the contents of a file.
	Read(ctx context.Context, path string) ([]byte, error)
	// Write puts data in place of the contents of a file, and makes the directories on the way.
	Write(ctx context.Context, path string, data []byte) error
	// Persist writes the workspace as a tar archive, without its ephemeral entries.
	Persist(ctx context.Context, w io.Writer) error
	// Hydrate puts the contents of a tar archive into the workspace, all or, if something is wrong with it,
	// nothing.
	Hydrate(ctx context.Context, r io.Reader) error
	// Stop ends all processes. The workspace stays. Stopping again does nothing. When ctx ends first it may go on;
	// stopping again then waits for it.
	Stop(ctx context.Context) error
	// Delete ends all processes and removes the sandbox. Deleting again does nothing. When ctx ends first it may go
	// on; deleting again then waits for it. It succeeds only when nothing of the sandbox is left.
	Delete(ctx context.Context) error
}

// Spooler is a [Sandbox] that takes output which is too large to be returned.
type Spooler interface {
	Sandbox
	// Spool makes a file in the workspace, with the directories on the way, and returns what writes to it as it
	// comes. It fails if there is something with that name. The file is in no archive if its directory is
	// [SpoolDir].
	Spool(ctx context.Context, path string) (io.WriteCloser, error)
}

// SpoolDir is the directory at the top of a workspace for output that is too large to be returned.
const SpoolDir = ".sandboxguard-output"

// Command is a command for a sandbox.
type Command struct {
	// Args are the program and its arguments. There is at least one.
	Args []string
	// Dir is the directory that it starts in, within the sandbox. Empty is the root of the workspace.
	Dir string
	// Env are its variables, besides the few that the backend sets, as NAME=value. They may hold secrets: they
	// must not become arguments of any process.
	Env []string
	// User is the account that it runs as. Empty is the default one.
	User string
	// Stdin is what it reads. Nil is nothing.
	Stdin io.Reader
	// Stdout and Stderr get its output, from one goroutine each. If a Write fails the command is ended.
	Stdout, Stderr io.Writer
	// Timeout ends it. 0 means none: only the context does.
	Timeout time.Duration
}
