//go:build linux || darwin

package local

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// run runs the process to its end and returns its exit code, -N for signal N. When ctx ends, all processes that it
// started are ended before run returns with the cause. A [notStarted] error says that nothing ran.
func (p process) run(ctx context.Context) (int, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := &exec.Cmd{
		Path: p.program, Args: p.argv, Env: p.env, Dir: p.dir,
		Stdin:       p.stdin,
		Stdout:      &guardedWriter{w: p.stdout, fail: cancel},
		Stderr:      &guardedWriter{w: p.stderr, fail: cancel},
		SysProcAttr: attributes(),
		WaitDelay:   p.grace,
	}
	hand, drop := func() {}, func() {}
	if p.terminal != nil {
		master, slave, err := onTerminal(cmd)
		if err != nil {
			return 0, startError(err)
		}
		hand = func() { _ = slave.Close(); p.terminal(master) }
		drop = func() { _, _ = slave.Close(), master.Close() }
	}
	r := &run{cmd: cmd, records: p.records, terminal: p.terminal != nil, started: make(chan error, 1), exited: make(chan struct{}), ended: make(chan struct{}), done: make(chan error, 1)}
	if err := context.Cause(ctx); err != nil {
		drop()
		return 0, err
	}
	go r.follow()
	if err := <-r.started; err != nil {
		drop()
		return 0, startError(err)
	}
	hand()
	killed := r.endWith(ctx, p.grace)
	err := <-r.done
	if cause := context.Cause(ctx); killed && cause != nil {
		return 0, cause
	}
	if err != nil && cmd.ProcessState == nil {
		return 0, errors.New("local: the process was lost")
	}
	// A writer may have failed on the last of the output, after the process.
	if cause := new(writeError); errors.As(context.Cause(ctx), &cause) {
		return 0, cause
	}
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return 0, errors.New("local: the input of the command could not be read to its end")
	}
	if s, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return -int(s.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}

// run is one process, from its start until it was waited for.
type run struct {
	cmd      *exec.Cmd
	records  string
	terminal bool          // it has one of its own
	started  chan error    // gets the result of the start
	exited   chan struct{} // is closed when the first process is over, but not yet waited for: nobody gets its id
	ended    chan struct{} // is closed when the rest of its group is ended, too
	done     chan error    // gets the result of waiting
}

// follow starts the process and waits for it, all on one thread: on Linux a process is told to die with the thread
// that started it.
func (r *run) follow() {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := undisturbed(r.cmd.Start); err != nil {
		r.started <- err
		return
	}
	pid := r.cmd.Process.Pid
	forget := record(r.records, pid, false)
	r.started <- nil
	awaitExit(pid)
	close(r.exited)
	<-r.ended
	err := r.cmd.Wait()
	// The rest of the group was killed. What is not yet gone is waited for.
	if syscall.Kill(-pid, 0) == nil {
		endRest(pid)
	}
	forget()
	r.done <- err
}

// endWith waits until the process is over or ctx ends, then ends what is left of it. It reports whether the process
// had to be ended.
func (r *run) endWith(ctx context.Context, grace time.Duration) (killed bool) {
	pid := r.cmd.Process.Pid
	select {
	case <-r.exited:
	case <-ctx.Done():
		killed = !r.over() // both may have come
	}
	if killed && !errors.Is(context.Cause(ctx), errDisk) { // that would go on filling the disk
		if r.terminal {
			_ = syscall.Kill(-pid, syscall.SIGHUP) // shells at a terminal ignore SIGTERM, and end on this
		}
		_ = syscall.Kill(-pid, syscall.SIGTERM)
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-r.exited:
		case <-timer.C:
		}
	}
	if killed || r.terminal { // a shell at a terminal gives each job a group of its own
		endSession(pid)
	}
	_ = syscall.Kill(-pid, syscall.SIGKILL)
	close(r.ended)
	return killed
}

func (r *run) over() bool {
	select {
	case <-r.exited:
		return true
	default:
		return false
	}
}

// record notes that a process runs, so that it is found if the worker is killed. What a command put in the place of
// the note is removed first. Without a note the process still runs as it should. One that keeps ends by itself then.
func record(dir string, pid int, keeps bool) (forget func()) {
	if dir == "" {
		return func() {}
	}
	name := filepath.Join(dir, strconv.Itoa(pid))
	forget = func() { _ = os.Remove(name) }
	forget()
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // in the backend's directory
	if err == nil {
		_, _ = f.WriteString(noted(pid, keeps))
		_ = f.Close()
	}
	return forget
}

// noted is what a record says of a process.
func noted(pid int, keeps bool) string {
	start := startOf(pid)
	if keeps {
		start += keepsMark
	}
	return start
}

// keepsMark ends the record of a process that ends by itself when the worker is gone.
const keepsMark = "/keeps"

// startError hides what the operating system says, which names the path of the host.
func startError(err error) error {
	return notStarted{again: outOfResources(err)}
}
