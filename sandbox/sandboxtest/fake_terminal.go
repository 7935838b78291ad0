package sandboxtest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// sigint is the exit code of a command that was interrupted.
const sigint = -2

var errInterrupted = errors.New("interrupted")

var _ backend.Terminals = (*fakeBox)(nil)

// fakeTerminal is a command that is talked to.
type fakeTerminal struct {
	process *process
	over    context.Context // ends with the command, or as it is killed
	keys    *keyboard       // nil without a terminal
	done    chan struct{}
	result  backend.Result
	err     error
}

// OpenTerminal starts a program. Its terminal does what is done with most: it echoes, hands lines over when they end,
// and knows how to interrupt (Ctrl-C) and how to end the input (Ctrl-D).
func (b *fakeBox) OpenTerminal(ctx context.Context, cmd backend.Command, tty bool) (backend.Terminal, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	over, kill := context.WithCancelCause(context.WithoutCancel(ctx))
	p := &process{kill: kill, ended: make(chan struct{})}
	t := &fakeTerminal{process: p, over: over, done: make(chan struct{})}
	how := "pipes"
	cmd.Stdin, cmd.Timeout = nil, 0
	if tty {
		how = "terminal"
		screen := &screen{to: cmd.Stdout, kill: kill}
		t.keys = &keyboard{over: over, interrupt: func() { kill(errInterrupted) }, echo: screen, more: make(chan struct{}, 1)}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = t.keys, screen, screen
	}
	if err := b.begin(p, how, cmd); err != nil {
		kill(nil)
		return nil, err
	}
	go func() {
		defer close(p.ended)
		defer close(t.done)
		code, known := b.run(over, cmd)
		b.finish(p)
		switch cause := context.Cause(over); {
		case errors.Is(cause, errInterrupted):
			code = sigint
		case cause != nil:
			t.err = cause
		case !known:
			t.err = &backend.Error{Code: backend.ExecTransport, Message: "there is no such program in the sandbox"}
		}
		t.result.ExitCode = code
		kill(nil)
	}()
	return t, nil
}

// Write types.
func (t *fakeTerminal) Write(_ context.Context, input []byte) error {
	switch {
	case t.keys == nil:
		return errors.New("sandboxtest: the command has no terminal")
	case t.over.Err() != nil:
		return errors.New("sandboxtest: nobody is at the terminal")
	}
	t.keys.press(input)
	return nil
}

func (t *fakeTerminal) Done() <-chan struct{} { return t.done }

func (t *fakeTerminal) Result() (backend.Result, error) {
	<-t.done
	return t.result, t.err
}

func (t *fakeTerminal) Kill() { t.process.kill(errKilled) }

// screen is where a terminal shows what is written and what is typed.
type screen struct {
	kill context.CancelCauseFunc

	mu sync.Mutex
	to io.Writer // nil for nobody
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to == nil {
		return len(p), nil
	}
	if _, err := s.to.Write(bytes.ReplaceAll(p, []byte("\n"), []byte("\r\n"))); err != nil {
		s.kill(err)
		return 0, err
	}
	return len(p), nil
}

// keyboard is the input of a terminal.
type keyboard struct {
	over      context.Context
	interrupt func()
	echo      io.Writer
	more      chan struct{} // gets one when there is something to read

	mu   sync.Mutex
	line []byte // that has not ended
	read []byte // what can be read
	end  bool   // of the input, after that
}

func (k *keyboard) press(keys []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, key := range keys {
		switch key {
		case 3:
			_, _ = k.echo.Write([]byte("^C"))
			k.interrupt()
			return
		case 4:
			k.end = len(k.line) == 0
			k.read, k.line = append(k.read, k.line...), nil
		case '\r', '\n':
			_, _ = k.echo.Write([]byte("\n"))
			k.read, k.line = append(append(k.read, k.line...), '\n'), nil
		default:
			_, _ = k.echo.Write([]byte{key})
			k.line = append(k.line, key)
		}
	}
	select {
	case k.more <- struct{}{}:
	default:
	}
}

// Read waits for a line, or for the end of the command.
func (k *keyboard) Read(p []byte) (int, error) {
	for {
		k.mu.Lock()
		n := copy(p, k.read)
		k.read = k.read[n:]
		end := n == 0 && k.end
		k.mu.Unlock()
		switch {
		case n > 0:
			return n, nil
		case end:
			return 0, io.EOF
		}
		select {
		case <-k.more:
		case <-k.over.Done():
			return 0, io.EOF
		}
	}
}
