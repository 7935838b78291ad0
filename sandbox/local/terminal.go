package local

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// The size of terminals. Nobody sees them, so it is that of the oldest ones, which every program can live with.
const (
	columns = 80
	lines   = 24
)

// plain is the kind of terminal that programs are told to be at, unless the command says another: one that shows text
// and knows no control sequences. What comes out is read by programs and models.
const plain = "TERM=dumb"

var (
	errKilled     = errors.New("local: the command was killed")
	errNoTerminal = errors.New("local: the command has no terminal, so nothing can be typed")
	errHungUp     = errors.New("local: nobody is at the terminal any more")
)

var _ backend.Terminals = (*box)(nil)

// terminal is a command that was started by OpenTerminal.
type terminal struct {
	stdout io.Writer
	grace  time.Duration
	kill   context.CancelCauseFunc

	attached  chan struct{} // closed when there is a master
	master    *os.File
	drained   chan struct{} // closed when it was read to its end
	unwritten error         // what was read and could not be written
	typing    chan struct{} // held by who writes: a deadline is everybody's

	done   chan struct{}
	result backend.Result
	err    error
}

// OpenTerminal starts a command and returns while it runs.
func (s *box) OpenTerminal(ctx context.Context, cmd backend.Command, tty bool) (backend.Terminal, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	life, end, err := s.beginJob(context.WithoutCancel(ctx), true)
	if err != nil {
		return nil, err
	}
	cmd.Stdin = nil
	c, err := s.command(cmd)
	if err != nil {
		end()
		return nil, err
	}
	t := &terminal{
		stdout: c.stdout, grace: s.backend.options.Grace,
		attached: make(chan struct{}), drained: make(chan struct{}), typing: make(chan struct{}, 1), done: make(chan struct{}),
	}
	life, t.kill = context.WithCancelCause(life)
	if c.stderr = c.said.listener(c.stderr); tty {
		t.stdout = c.said.listener(t.stdout)
		c.terminal = t.attach
		c.env = append([]string{plain}, c.env...)
	}
	go func() {
		defer end()
		defer close(t.done)
		defer t.kill(nil)
		t.result, t.err = s.run(life, c, 0)
		if err := t.drain(); t.err == nil {
			t.err = err
		}
		t.result = s.told(t.result, c)
	}()
	if !tty {
		return t, nil
	}
	select {
	case <-t.attached:
	case <-t.done:
	case <-ctx.Done():
		t.kill(context.Cause(ctx))
		<-t.done
	}
	if !t.hasMaster() && t.err != nil {
		return nil, t.err
	}
	return t, nil // what became of it, its result tells
}

// attach takes the master of the terminal, and reads it until nobody has the other side.
func (t *terminal) attach(master *os.File) {
	t.master = pollable(master)
	close(t.attached)
	go func() {
		defer close(t.drained)
		out := &guardedWriter{w: t.stdout, fail: func(err error) {
			t.unwritten = err
			t.kill(err)
		}}
		_, _ = io.Copy(out, t.master) // the end of a terminal is an error, too
	}()
}

func (t *terminal) hasMaster() bool {
	select {
	case <-t.attached:
		return true
	default:
		return false
	}
}

// drain waits for what is still to be read when the command is over. What left the session of the command may have
// the terminal as long as it likes, so this has an end as reading from pipes has.
func (t *terminal) drain() error {
	if !t.hasMaster() {
		return nil
	}
	defer func() { _ = t.master.Close() }()
	timer := time.NewTimer(t.grace)
	defer timer.Stop()
	select {
	case <-t.drained:
	case <-timer.C:
		if t.master.SetReadDeadline(past) != nil { // not on this system: it ends with the last process
			return nil
		}
		<-t.drained
	}
	return t.unwritten
}

// past is a deadline that is over.
var past = time.Unix(1, 0)

// Write types.
func (t *terminal) Write(ctx context.Context, input []byte) error {
	if !t.hasMaster() {
		return errNoTerminal
	}
	select {
	case t.typing <- struct{}{}:
		defer func() { <-t.typing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	late := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = t.master.SetWriteDeadline(past) // not on all systems
		close(late)
	})
	_, err := t.master.Write(input)
	if !stop() {
		<-late
		_ = t.master.SetWriteDeadline(time.Time{})
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	}
	return errHungUp
}

// Done is closed when the command is over.
func (t *terminal) Done() <-chan struct{} { return t.done }

// Result is what became of the command.
func (t *terminal) Result() (backend.Result, error) {
	<-t.done
	return t.result, t.err
}

// Kill ends the command.
func (t *terminal) Kill() { t.kill(errKilled) }
