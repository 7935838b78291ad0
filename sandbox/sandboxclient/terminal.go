package sandboxclient

import (
	"errors"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// Terminal is a command that is talked to while it runs. It lives until it exits, until its sandbox stops, or until its
// host is lost or has too many of them; the workflow need not do anything about it then. The format's hosts allow 64 in
// a sandbox, and end the one that was used least for another.
type Terminal struct {
	box     *Sandbox
	process int
}

// TerminalOptions are how a command is talked to. The zero TerminalOptions give it a terminal.
type TerminalOptions struct {
	// Pipes gives it no terminal: it reads nothing, and its output has no carriage returns. [Terminal.Write] is refused
	// then.
	Pipes bool
	// Yield is when the first answer comes.
	Yield Yield
}

// Yield is when an answer comes, and how long it may be.
type Yield struct {
	// Time is for how long the host waits for output. An answer comes earlier only if the command exits. Hosts take
	// between 250 ms and 30 s for it. 0 means 10 s for a start, and the least there is for all else.
	Time time.Duration
	// MaxTokens is how many tokens of output an answer has, of four bytes each. Of a longer output the middle is lost.
	// 0 means any number, which hosts bound in their own way.
	MaxTokens int
}

// TerminalOutput is what a command has put out since the last answer.
type TerminalOutput struct {
	// Text is what it put out, its errors as well, without values of secrets. What may be the beginning of one comes
	// with a later answer.
	Text []byte
	// Tokens is how many tokens Text had before it was cut, 0 if it was not.
	Tokens int
	// Exited is whether the command is over. There is nothing to be had from it then.
	Exited bool
	// ExitCode is the code that it ended with, as in [Result].
	ExitCode int
}

// mostYield is how long hosts wait at most.
const mostYield = 30 * time.Second

// OpenTerminal starts a command that goes on after OpenTerminal has returned, and returns what it has put out by then.
// It has one attempt, see [ErrMayHaveRun]. The command must have no Stdin and no Timeout. A sandbox that has no
// terminals answers with an error of the type NotImplementedError, and nothing has run.
func (b *Sandbox) OpenTerminal(ctx workflow.Context, cmd Command, o TerminalOptions) (*Terminal, TerminalOutput, error) {
	var none TerminalOutput
	if cmd.Stdin != nil || cmd.Timeout != 0 {
		return nil, none, errors.New("sandboxclient: open terminal: the command has an input or a timeout: use Write, and count the time in workflow code")
	}
	prepared, err := b.execArgs(cmd, "")
	if err != nil {
		return nil, none, err
	}
	args := operation.PTYExecArgs{Command: prepared.Command, Shell: prepared.Shell, User: prepared.User, TTY: !o.Pipes}
	if args.YieldTime, args.MaxOutputTokens, err = o.Yield.args(); err != nil {
		return nil, none, err
	}
	var result operation.PTYResult
	err = b.call(ctx, operation.PTYExec, activity{once: true, command: mostYield}, func(s sandbox.SessionState) any {
		args.State = s
		return args
	}, &result)
	if err != nil {
		return nil, none, err
	}
	t := &Terminal{box: b}
	if result.ProcessID != nil {
		t.process = *result.ProcessID
	}
	return t, outputOf(result), nil
}

// Write types, and returns what the command has put out since the last answer, the echo of the input included. Control
// characters do what they do at a terminal: "\x03" interrupts, "\x04" ends the input. It has one attempt, see
// [ErrMayHaveRun]. The code pty_session_not_found says that the command is not there any more.
//
// All of the input is recorded in the workflow's history. Without [Force] an input that has redaction markers in it is
// refused with a [*MarkerError].
func (t *Terminal) Write(ctx workflow.Context, input string, y Yield, options ...WriteOption) (TerminalOutput, error) {
	if input == "" {
		return TerminalOutput{}, errors.New("sandboxclient: write to a terminal: the input is empty: use Read")
	}
	if err := unmarked([]byte(input), options); err != nil {
		return TerminalOutput{}, err
	}
	return t.send(ctx, input, y)
}

// Read waits for output, for five seconds at least, and returns what the command has put out since the last answer. It
// has one attempt: an answer that is lost takes its output along.
func (t *Terminal) Read(ctx workflow.Context, y Yield) (TerminalOutput, error) {
	return t.send(ctx, "", y)
}

// Wait reads until the command exits or ctx ends, and returns all that it has put out since the last answer.
func (t *Terminal) Wait(ctx workflow.Context) (TerminalOutput, error) {
	var all TerminalOutput
	for !all.Exited {
		next, err := t.Read(ctx, Yield{Time: mostYield})
		if err != nil {
			return all, err
		}
		next.Text = append(all.Text, next.Text...)
		all = next
	}
	return all, nil
}

func (t *Terminal) send(ctx workflow.Context, input string, y Yield) (TerminalOutput, error) {
	var err error
	args := operation.PTYSendArgs{Process: t.process, Chars: input}
	if args.YieldTime, args.MaxOutputTokens, err = y.args(); err != nil {
		return TerminalOutput{}, err
	}
	var result operation.PTYResult
	err = t.box.call(ctx, operation.PTYSend, activity{once: true, command: mostYield}, func(s sandbox.SessionState) any {
		args.State = s
		return args
	}, &result)
	return outputOf(result), err
}

func (y Yield) args() (seconds *float64, tokens *int, err error) {
	if y.Time < 0 || y.MaxTokens < 0 {
		return nil, nil, errors.New("sandboxclient: a yield is negative: set it to 0 for its default")
	}
	if y.Time > 0 {
		s := y.Time.Seconds()
		seconds = &s
	}
	if y.MaxTokens > 0 {
		tokens = &y.MaxTokens
	}
	return seconds, tokens, nil
}

func outputOf(r operation.PTYResult) TerminalOutput {
	o := TerminalOutput{Text: r.Output}
	if r.OriginalTokenCount != nil {
		o.Tokens = *r.OriginalTokenCount
	}
	if r.ExitCode != nil {
		o.Exited, o.ExitCode = true, *r.ExitCode
	}
	return o
}
