package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

// How long the first process may take to say that it is there: of the first sandbox, and once that has shown that the
// worker's program does its part. It gets more time while it waits for a processor, up to ten times as much.
const (
	handshakeTime = 2 * time.Second
	startTime     = time.Minute
)

// launch is a command in a sandbox of its own, from the start of its first process until nothing of it is left.
type launch struct {
	launcher Launcher
	starter  *starter
	start    pid1.Start
	files    []*os.File // of the first process, after the channel
	command  command
	job      pid1.Job
	records  string // where it is noted while it runs
	grace    time.Duration
	patience time.Duration // with the first process
	limits   *limits
	stage    *pid1.Stage // of one that bwrap starts

	child   *child
	forget  func()
	channel *pid1.Channel
	streams *streams
	group   group
	inner   *held // the first process, where it is not the child
	told    bool  // whether the first process got its job
	reports chan pid1.Report
}

func (l *launch) run(ctx context.Context) (backend.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := context.Cause(ctx); err != nil {
		return backend.Result{}, err
	}
	l.command.stdout = &guardedWriter{w: l.command.stdout, fail: cancel}
	l.command.stderr = &guardedWriter{w: l.command.stderr, fail: cancel}
	if err := l.begin(ctx); err != nil {
		return backend.Result{}, err
	}
	defer func() { _ = l.channel.Close() }()
	l.reports = make(chan pid1.Report, 4)
	go l.listen()
	return l.finish(ctx)
}

// begin starts the first process.
func (l *launch) begin(ctx context.Context) error {
	var err error
	l.streams, err = newStreams(l.command)
	switch {
	case outOfDescriptors(err):
		return errNoDescriptors
	case err != nil:
		return refusal(l.launcher, "pipes", err)
	}
	err = l.born(ctx)
	if errors.Is(err, errLost) {
		err = l.born(ctx) // by another starter, and over another channel: what the lost one started may still be at that
	}
	if err != nil {
		l.streams.close()
		return l.unborn(err)
	}
	l.streams.begin()
	l.forget = record(l.records, l.child.pid, l.start.Keeps)
	return nil
}

// born has the starter start the first process.
func (l *launch) born(ctx context.Context) error {
	own, theirs, err := socketPair()
	if err != nil {
		return fmt.Errorf("%w: %w", errStarter, err)
	}
	if l.channel, err = pid1.NewChannel(own); err != nil {
		return fmt.Errorf("%w: %w", errStarter, errors.Join(err, theirs.Close()))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 10*l.patience, errStarter)
	defer cancel()
	l.child, err = l.starter.start(ctx, l.start, slices.Concat(l.streams.theirs, []*os.File{theirs}, l.files)...)
	if err = errors.Join(err, theirs.Close()); err != nil {
		return errors.Join(err, l.channel.Close())
	}
	return nil
}

// unborn is what the caller is told where there is no first process.
func (l *launch) unborn(err error) error {
	var errno syscall.Errno
	switch {
	case outOfDescriptors(err):
		return errNoDescriptors
	case errors.Is(err, errStarter):
		return refusal(l.launcher, "starter", err)
	case !errors.As(err, &errno):
		return err
	case l.stage != nil:
		return refusal(l.launcher, "mount namespace", err)
	}
	return refusal(l.launcher, "namespaces", err)
}

// listen hands on what the first process says, until it is over.
func (l *launch) listen() {
	defer close(l.reports)
	for {
		var r pid1.Report
		if l.channel.Receive(&r) != nil {
			return
		}
		r.PID = l.channel.Sender()
		l.reports <- r
	}
}

// finish leads the first process through its job, and cleans up.
func (l *launch) finish(ctx context.Context) (backend.Result, error) {
	result, err := l.lead(ctx)
	_ = l.channel.End() // nothing else ends one that bwrap is about to start
	l.inner.end()
	result.Emptied = l.emptied()
	if l.child.end() {
		l.forget()
	} else {
		result.Emptied = ""
	}
	copied := l.streams.finish(l.grace)
	reached, groupErr := l.group.close()
	result.Reached = append(result.Reached, reached...)
	if groupErr != nil {
		result.Emptied = ""
	}
	if err != nil {
		return result, err
	}
	if cause := new(writeError); errors.As(context.Cause(ctx), &cause) {
		return result, cause // on the last of the output
	}
	if copied != nil {
		return result, errors.New("local: the input of the command could not be read to its end")
	}
	return result, nil
}

// emptied says by what nothing of the command is left, or will not be once the first process is waited for.
func (l *launch) emptied() string {
	if !l.start.Keeps {
		return "pid namespace ended"
	}
	return l.swept()
}

// lead returns when the command is over, or the context, or when nothing could be run.
func (l *launch) lead(ctx context.Context) (backend.Result, error) {
	var err error // while the program gets ready
	if l.group, err = l.limits.enter(l.child.pid, l.stage == nil); err != nil {
		return backend.Result{}, refusal(l.launcher, "control group", err)
	}
	if _, err := l.hello(ctx, "handshake"); err != nil {
		return backend.Result{}, err
	}
	if l.stage != nil {
		if err := l.pass(ctx); err != nil {
			return backend.Result{}, err
		}
	}
	l.job.Tasks, l.told = len(l.group.tasks), true
	err = errors.Join(l.channel.Send(l.job, l.group.tasks...), l.group.entered())
	if errors.Is(err, pid1.ErrTooLong) {
		return backend.Result{}, errNotStarted(l.command.args[0], false)
	}
	if err != nil {
		return backend.Result{}, refusal(l.launcher, "socket pair", err)
	}
	for entered := false; ; entered = true {
		select {
		case r, ok := <-l.reports:
			if !ok && entered {
				return killed, nil // the command may have run
			}
			if r.Entered {
				continue
			}
			if err := l.begun(r, ok); err != nil {
				return backend.Result{}, err
			}
			return l.await(ctx)
		case <-ctx.Done():
			return backend.Result{}, context.Cause(ctx)
		}
	}
}

// killed is the result of a command whose first process was ended by something else, and it with it.
var killed = backend.Result{ExitCode: -int(unix.SIGKILL)}

// hello waits for the program to say that it is there. If it does not, what is missing.
func (l *launch) hello(ctx context.Context, what string) (pid1.Report, error) {
	timer := time.NewTimer(l.patience)
	defer timer.Stop()
	for more := 8 * 9; ; more, _ = more-1, timer.Reset(l.patience/8) { // ten times as much in all
		select {
		case r, ok := <-l.reports:
			switch {
			case ok && r.Hello:
				return r, nil
			case ok && r.Step != "":
				return r, refusal(l.launcher, r.Step, syscall.Errno(r.Errno))
			}
			return r, refusal(l.launcher, what, nil)
		case <-timer.C:
			if !l.starved() || more == 0 {
				return pid1.Report{}, refusal(l.launcher, what, nil)
			}
		case <-ctx.Done():
			return pid1.Report{}, context.Cause(ctx)
		}
	}
}

// starved reports whether the program waits for a processor or the disk: it may not have come to its main function yet.
func (l *launch) starved() bool {
	s, ok := stat(l.child.pid)
	return ok && (s.state == "R" || s.state == "D")
}

// begun looks at what the first process said of its steps.
func (l *launch) begun(r pid1.Report, ok bool) error {
	switch {
	case !ok:
		return refusal(l.launcher, "first process", nil)
	case r.Missing:
		return errNotFound(l.command.args[0])
	case r.Step == "start":
		errno := syscall.Errno(r.Errno)
		return errNotStarted(l.command.args[0], errno == unix.EAGAIN || errno == unix.ENOMEM)
	case r.Step != "":
		return refusal(l.launcher, r.Step, syscall.Errno(r.Errno))
	}
	if master := l.channel.File(); master != nil {
		l.command.terminal(master)
	}
	return nil
}

// await waits for the end of the command. If the context ends first, all processes get SIGTERM, and time for it.
func (l *launch) await(ctx context.Context) (backend.Result, error) {
	over := ctx.Done()
	var grace <-chan time.Time
	for {
		select {
		case r, ok := <-l.reports:
			if !ok {
				return killed, l.cause(ctx, grace != nil)
			}
			if !r.Exited {
				continue
			}
			return backend.Result{ExitCode: r.Code, Reached: l.limits.reached(r)}, l.cause(ctx, grace != nil)
		case <-over:
			if over = nil; errors.Is(context.Cause(ctx), errDisk) { // it would go on filling the disk
				return killed, errDisk
			}
			if l.command.terminal != nil { // shells at a terminal ignore SIGTERM, and end on this
				_ = l.channel.Send(pid1.Order{Signal: int(unix.SIGHUP)})
			}
			_ = l.channel.Send(pid1.Order{Signal: int(unix.SIGTERM)})
			timer := time.NewTimer(l.grace)
			defer timer.Stop()
			grace = timer.C
		case <-grace:
			return backend.Result{}, context.Cause(ctx)
		}
	}
}

// cause is why the command had to end, nil if it ended by itself.
func (l *launch) cause(ctx context.Context, told bool) error {
	if !told {
		return nil
	}
	return context.Cause(ctx)
}

func socketPair() (own, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fds[0]), "own"), os.NewFile(uintptr(fds[1]), "theirs"), nil
}
