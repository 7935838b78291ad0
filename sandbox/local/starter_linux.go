package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

// starter is the worker's program, started once more to start others. Whoever makes a process in a user namespace has
// the tables of its own memory copied for it: of a worker that has much that would take longer than all the rest. The
// zero value starts it with the first process that is asked for, and again if it was ended.
type starter struct {
	once sync.Once
	// asked are those that have asked it and got no answer yet.
	asked chan struct{}

	mu      sync.Mutex
	cmd     *exec.Cmd
	over    <-chan error // gets the result of waiting for it
	channel *pid1.Channel
}

// maxAsked bounds what a starter is asked for at once: it starts one after the other, and so much fits into its socket.
// Otherwise who asks one that was stopped would wait for room there, whatever becomes of its context.
const maxAsked = 16

// child is a process that the starter started.
type child struct {
	pid  int
	held *held
	said *pid1.Channel
	over chan struct{} // closed when it was ended, or its starter
	// keeps is whether it ends by itself, as [pid1.Start] says.
	keeps bool
}

var (
	// errStarter is the error of a process that was not started, for want of who would start it.
	errStarter = errors.New("local: the process that starts others failed")
	errLost    = errors.New("it was ended")
)

// start starts a process with its files. The error is that of the context, one of the kernel, or wraps errStarter. With
// errLost the process may run all the same, until it sees that nobody is at the other side of its files.
func (s *starter) start(ctx context.Context, what pid1.Start, files ...*os.File) (*child, error) {
	s.once.Do(func() { s.asked = make(chan struct{}, maxAsked) })
	select {
	case s.asked <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	own, theirs, err := socketPair()
	if err != nil {
		<-s.asked
		return nil, fmt.Errorf("%w: %w", errStarter, err)
	}
	said, err := pid1.NewChannel(own)
	if err != nil {
		<-s.asked
		return nil, fmt.Errorf("%w: %w", errStarter, errors.Join(err, theirs.Close()))
	}
	files = append([]*os.File{theirs}, files...)
	by, err := s.ask(what, files)
	if errors.Is(err, errLost) { // before it was asked
		by, err = s.ask(what, files)
	}
	if err = errors.Join(err, theirs.Close()); err != nil {
		<-s.asked
		return nil, fmt.Errorf("%w: %w", errStarter, errors.Join(err, said.Close()))
	}
	born := make(chan birth)
	go func() {
		b := await(said, what.Keeps)
		<-s.asked
		select {
		case born <- b:
		case <-ctx.Done():
			b.child.end()
		}
	}()
	select {
	case b := <-born:
		if errors.Is(b.err, errLost) {
			s.drop(by)
		}
		return b.child, b.err
	case <-ctx.Done():
		err := context.Cause(ctx)
		if errors.Is(err, errStarter) { // it had all the time there is
			s.drop(by)
		}
		return nil, err
	}
}

// birth is what became of a start.
type birth struct {
	child *child
	err   error
}

// await waits for the answer of the starter.
func await(said *pid1.Channel, keeps bool) birth {
	var b pid1.Birth
	err := said.Receive(&b)
	switch {
	case err != nil:
		err = fmt.Errorf("%w: %w", errStarter, errLost)
	case b.Errno != 0:
		err = syscall.Errno(b.Errno)
	default:
		var h *held
		if h, err = hold(b.PID); err == nil {
			c := &child{pid: b.PID, held: h, said: said, over: make(chan struct{}), keeps: keeps}
			go c.follow()
			return birth{child: c}
		}
		err = fmt.Errorf("%w: %w", errStarter, err)
	}
	_ = said.Close()
	return birth{err: err}
}

// ask hands the starter what it is to start. It returns the channel that this went over.
func (s *starter) ask(what pid1.Start, files []*os.File) (*pid1.Channel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.channel == nil {
		if err := s.begin(); err != nil {
			return nil, err
		}
	}
	if err := s.channel.Send(what, files...); err != nil {
		return nil, errors.Join(errLost, s.end())
	}
	return s.channel, nil
}

func (s *starter) begin() error {
	program, err := sealedProgram()
	if err != nil {
		return err
	}
	own, theirs, err := socketPair()
	if err != nil {
		return err
	}
	cmd := &exec.Cmd{
		Path: fmt.Sprintf("/proc/self/fd/%d", program.Fd()), Args: []string{pid1.StarterName}, Env: []string{}, Dir: "/",
		ExtraFiles: []*os.File{theirs, program}, SysProcAttr: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	}
	started, over := make(chan error, 1), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // it dies with the thread that started it
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			over <- cmd.Wait()
		}
	}()
	err = errors.Join(<-started, theirs.Close())
	if err != nil {
		return errors.Join(err, own.Close())
	}
	s.cmd, s.over = cmd, over
	if s.channel, err = pid1.NewChannel(own); err != nil {
		return errors.Join(err, s.end())
	}
	return nil
}

// drop gives up a starter that was ended, unless there is another one already.
func (s *starter) drop(channel *pid1.Channel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.channel == channel {
		_ = s.end()
	}
}

// close ends the starter. What it started ends with it.
func (s *starter) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end()
}

// end ends the starter, if there is one.
func (s *starter) end() error {
	if s.cmd == nil {
		return nil
	}
	cmd, channel := s.cmd, s.channel
	s.cmd, s.channel = nil, nil
	if channel != nil {
		_ = channel.Close()
	}
	_ = cmd.Process.Kill()
	if err := <-s.over; cmd.ProcessState == nil {
		return err
	}
	return nil
}

// follow waits for the end of the process. Of one whose starter is lost it ends the group: what bwrap has only just started
// may not know yet that it is to end with it, and would keep the channel open.
func (c *child) follow() {
	defer close(c.over)
	var e pid1.End
	if c.said.Receive(&e) == nil && e.Over || c.keeps {
		return
	}
	if errors.Is(unix.PidfdSendSignal(c.held.fd, unix.SIGKILL, nil, signalGroup), unix.EINVAL) {
		_ = unix.PidfdSendSignal(c.held.fd, unix.SIGKILL, nil, 0)
		endStarting(c.pid)
	}
}

// end ends a process, and what it started if it was the first of its namespace. It reports whether nothing of that is
// left. What a starter does not do that was ended, or stopped, is done here. Nil is none.
func (c *child) end() bool {
	if c == nil {
		return true
	}
	timer := time.AfterFunc(leftoverWait, func() { _ = c.said.Close() })
	_ = c.said.End()
	<-c.over
	timer.Stop()
	_ = c.said.Close()
	return c.held.endWithin(leftoverWait)
}
