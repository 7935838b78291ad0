package sandboxhost

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// How long a call waits for what a command puts out, as the format has it.
const (
	startYield = 10 * time.Second
	writeYield = 250 * time.Millisecond
	leastYield = 250 * time.Millisecond
	mostYield  = 30 * time.Second
	leastPoll  = 5 * time.Second
	// echoPause is how long what was typed may take before there is something to wait for.
	echoPause = 100 * time.Millisecond
)

// A pty is a command that is talked to by several activities. Only those with tty have a terminal.
type pty struct {
	id      int // unique among those of the session
	tty     bool
	used    uint64 // when it was last, in the count of its table
	process backend.Terminal
	out     *transcript
}

// openTerminal starts a command that goes on after the activity, once for all attempts of that. Its timeout is that of
// no local sandbox.
func (h *Host) openTerminal(ctx context.Context, a operation.PTYExecArgs) (*operation.PTYResult, error) {
	cmd, err := h.command(operation.ExecArgs{Command: a.Command, Shell: a.Shell, User: a.User})
	if err != nil {
		return nil, early(err)
	}
	var out *operation.PTYResult
	err = h.with(ctx, operation.PTYExec, a.State, func(s *session, box backend.Sandbox) error {
		with, ok := box.(backend.Terminals)
		if !ok {
			return early(noTerminal())
		}
		release, err := s.ready(ctx, box, &cmd)
		if err != nil {
			return err
		}
		defer release()
		t := &pty{tty: a.TTY, out: newTranscript(bind.From(ctx), h.options.MaxOutput)}
		cmd.Stdout, cmd.Stderr = t.out, t.out
		_, err = s.once(ctx, func() (result backend.Result, err error) {
			if t.process, err = with.OpenTerminal(ctx, cmd, a.TTY); err != nil {
				s.tell(result, err)
				return result, err
			}
			go func() { // whoever is told of it by then, if anybody
				<-t.process.Done()
				s.tell(t.process.Result())
			}()
			s.keep(t)
			return t.wait(ctx, yield(a.YieldTime, startYield))
		})
		if err == nil {
			out, err = s.update(ctx, t, a.MaxOutputTokens)
		}
		if errors.Is(err, errEnded) {
			err = mayHaveRun("it was ended from outside")
		}
		if err != nil { // nobody learns its id
			s.ptys.drop(t)
		}
		return err
	})
	return out, err
}

// writeStdin types, or only waits, and tells what was put out since the last call.
func (h *Host) writeStdin(ctx context.Context, a operation.PTYSendArgs) (*operation.PTYResult, error) {
	var out *operation.PTYResult
	err := h.with(ctx, operation.PTYSend, a.State, func(s *session, _ backend.Sandbox) error {
		t := s.ptys.get(a.Process)
		switch {
		case t == nil:
			return early(noProcess(a.Process))
		case a.Chars != "" && !t.tty:
			return early(noStdin())
		}
		release, err := h.slots.command(ctx)
		if err != nil {
			return early(err)
		}
		defer release()
		if err := s.hide(ctx); err != nil {
			return early(err)
		}
		window := yield(a.YieldTime, writeYield)
		if a.Chars == "" {
			window = max(window, leastPoll)
		} else if err := s.press(ctx, t, a.Chars); err != nil {
			return err
		}
		if _, _ = t.wait(ctx, window); ctx.Err() != nil {
			return ctx.Err()
		}
		out, err = s.update(ctx, t, a.MaxOutputTokens)
		switch {
		case !errors.Is(err, errEnded):
			return err
		case a.Chars != "":
			return mayHaveRun("it was ended from outside while it had input")
		}
		return noProcess(t.id)
	})
	return out, err
}

// press types, once for all attempts of an activity. A command that cannot be reached is about to be over, which is
// what is told.
func (s *session) press(ctx context.Context, t *pty, keys string) error {
	name := callerOf(ctx).name()
	first, err := s.h.store.begin(s.id, name)
	switch {
	case err != nil:
		return early(err)
	case !first:
		return mayHaveBeenTyped()
	}
	if err := s.mine(ctx); err != nil {
		return early(errors.Join(err, s.h.store.undo(s.id, name)))
	}
	_ = t.process.Write(ctx, []byte(keys))
	_, _ = t.wait(ctx, echoPause)
	return ctx.Err()
}

// wait waits until the command is over, the time is, or the context.
func (t *pty) wait(ctx context.Context, window time.Duration) (backend.Result, error) {
	timer := time.NewTimer(window)
	defer timer.Stop()
	select {
	case <-t.process.Done():
		return t.process.Result()
	case <-timer.C:
		return backend.Result{}, nil
	case <-ctx.Done():
		return backend.Result{}, ctx.Err()
	}
}

func (t *pty) isOver() bool {
	select {
	case <-t.process.Done():
		return true
	default:
		return false
	}
}

var errEnded = errors.New("sandboxhost: the command was ended from outside")

// update takes what was put out. A command that is over is known no more then.
func (s *session) update(ctx context.Context, t *pty, maxTokens *int) (*operation.PTYResult, error) {
	over := t.isOver()
	data, err := t.out.take(over)
	if err != nil {
		s.ptys.drop(t)
		return nil, err
	}
	if b := bind.From(ctx); b != nil { // it may have come before the guard learned of a value again
		data, _ = b.Holder().Bytes(data)
	}
	text, count := truncated(decoded(data), maxTokens)
	out := &operation.PTYResult{Output: []byte(text), OriginalTokenCount: count}
	if !over {
		out.ProcessID = &t.id
		return out, nil
	}
	s.ptys.drop(t)
	result, err := t.process.Result()
	switch {
	case backend.CodeOf(err) == backend.ExecTimeout:
		return nil, backend.TimedOut() // whatever the backend says
	case err != nil:
		return nil, errEnded
	}
	out.ExitCode = &result.ExitCode
	return out, nil
}

// yield is for how long a call waits.
func yield(seconds *float64, unset time.Duration) time.Duration {
	if seconds == nil {
		return unset
	}
	ms := min(max(*seconds*1000, float64(leastYield.Milliseconds())), float64(mostYield.Milliseconds()))
	return time.Duration(ms) * time.Millisecond
}

func noTerminal() error {
	return temporal.NewNonRetryableApplicationError("the sandboxes of this host have no terminals, nothing was done: run a command instead", "NotImplementedError", nil)
}

// noProcess has the message of the format.
func noProcess(id int) error {
	return &backend.Error{Code: backend.PTYSessionNotFound, Message: fmt.Sprintf("PTY session not found: %d", id)}
}

func noStdin() error {
	return temporal.NewNonRetryableApplicationError("stdin is not available for this process, nothing was typed: start it with tty=true", "RuntimeError", nil)
}

func mayHaveBeenTyped() error {
	return terminal(ErrorTypeMayHaveRun, "the input may have been typed, it is not typed again: an earlier attempt of this activity was about to",
		"look at what the terminal shows, then decide in workflow code whether to type it again")
}
