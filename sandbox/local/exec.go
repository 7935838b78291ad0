package local

import (
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// The causes of the end of a command's time: the caller's own, and that of Options.Limits.
var (
	errTimeout error = backend.TimedOut()
	errWall    error = backend.TimedOut()
)

// notRun is a refusal before anything ran.
func notRun(message string) error { return refuse(backend.ExecTransport, message) }

// Exec runs a command. If a writer fails its error is wrapped, so that the caller can tell it.
func (s *box) Exec(ctx context.Context, cmd backend.Command) (backend.Result, error) {
	ctx, done, err := s.beginJob(ctx, true)
	if err != nil {
		return backend.Result{}, err
	}
	defer done()
	c, err := s.command(cmd)
	if err != nil {
		return backend.Result{}, err
	}
	c.stderr = c.said.listener(c.stderr)
	result, err := s.run(ctx, c, cmd.Timeout)
	return s.told(result, c), err
}

// run runs a command within the limits that no launcher has to know of, and in the time that it has besides, if any.
func (s *box) run(ctx context.Context, c command, timeout time.Duration) (backend.Result, error) {
	ctx, stop := s.watchDisk(ctx, true)
	if timeout != 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTimeout)
		defer cancel()
	}
	wall := s.backend.options.Limits.Wall
	if wall != 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, wall, errWall)
		defer cancel()
	}
	result, err := s.backend.launcher.run(ctx, c)
	if errors.Is(err, errWall) {
		result.Reached = append(result.Reached, backend.Limit{Name: "wall", Value: wall.String(), Mechanism: "clock"})
	}
	if over := stop(); over && !reached(result, "disk") {
		max := sandbox.FormatSize(s.backend.options.Limits.Disk)
		result.Reached = append(result.Reached, backend.Limit{Name: "disk", Value: max, Mechanism: watchOfWorkspace})
	}
	if errors.Is(err, errDisk) { // as one that has used up its memory
		result.ExitCode, err = -int(syscall.SIGKILL), nil
	}
	return result, err
}

// told adds to the result of a command the limits that its output tells of, when there is no more to come of that.
func (s *box) told(r backend.Result, c command) backend.Result {
	if c.output.reached() {
		max := sandbox.FormatSize(s.backend.options.Limits.Output)
		r.Reached = append(r.Reached, backend.Limit{Name: "output", Value: max, Mechanism: "counted, and the rest dropped"})
	}
	return s.hinted(r, c.said)
}

// reached reports whether a command is known to have reached a limit.
func reached(r backend.Result, name string) bool {
	return slices.ContainsFunc(r.Reached, func(l backend.Limit) bool { return l.Name == name })
}

// command looks at a command. The error says that nothing ran.
func (s *box) command(cmd backend.Command) (command, error) {
	switch {
	case len(cmd.Args) == 0 || cmd.Args[0] == "":
		return command{}, notRun("the command must not be empty")
	case cmd.User != "":
		return command{}, notRun("commands run as the sandbox's one account: leave the user out")
	case slices.ContainsFunc(slices.Concat(cmd.Args, cmd.Env), func(s string) bool { return strings.ContainsRune(s, 0) }):
		return command{}, notRun("arguments and variables must not hold NUL")
	case slices.ContainsFunc(cmd.Env, func(s string) bool { return strings.Index(s, "=") < 1 }):
		return command{}, notRun("variables must be NAME=value")
	}
	dir, err := s.startDir(cmd.Dir)
	if err != nil {
		return command{}, err
	}
	c := command{
		box: s, args: cmd.Args, env: cmd.Env, dir: dir,
		stdin: cmd.Stdin, stdout: orDiscard(cmd.Stdout), stderr: orDiscard(cmd.Stderr),
		output: &capped{left: s.backend.options.Limits.Output}, said: new(said),
	}
	if c.output.left != 0 {
		c.stdout, c.stderr = c.output.writer(c.stdout), c.output.writer(c.stderr)
	}
	return c, nil
}

// errNotFound says that there is no such program.
func errNotFound(program string) error {
	return notRun(named(program) + " was not found: it must be an executable file of PATH, or a path")
}

// errNotStarted says that a program was found, but not started.
func errNotStarted(program string, again bool) error {
	return &backend.Error{Code: backend.ExecTransport, Retryable: again, Message: "local: " + named(program) +
		" could not be started: it must be an executable file, its arguments and environment not too long, and the limits not too narrow to start it"}
}

// startDir is the directory that a command starts in: below the workspace, or absolute where it is below a path grant.
func (s *box) startDir(dir string) (string, error) {
	if dir == "" {
		dir = "."
	}
	g, rel, err := s.locate(dir)
	if err != nil {
		return "", notRun("the directory of the command must be inside the workspace or a path grant")
	}
	there := false
	if g != nil {
		if err := s.use(g, backend.ExecTransport, func(h *granted) error { there = h.isDir(rel); return nil }); err != nil {
			return "", err
		}
		if !there {
			return "", notRun("the directory of the command does not exist in the path grant, or its account cannot reach it")
		}
		return path.Join(g.path, rel), nil
	}
	root, err := s.workspace()
	if err != nil {
		return "", err
	}
	defer root.Close()
	info, err := root.Stat(rel)
	if err != nil || !info.IsDir() {
		return "", notRun("the directory of the command does not exist in the workspace")
	}
	return rel, nil
}

func orDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

// leftoverWait bounds the wait for the end of a killed process of another parent.
const leftoverWait = 5 * time.Second
