package sandboxclient_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

func screen(output string, exit *int) operation.PTYResult {
	id := 4711
	out := operation.PTYResult{Output: []byte(output), ExitCode: exit}
	if exit == nil {
		out.ProcessID = &id
	}
	return out
}

// TestTerminal: what is sent for a command that is talked to, and what is made of the answers.
func TestTerminal(t *testing.T) {
	h := newHost()
	code, count := 3, 99
	cut := screen("b", nil)
	cut.OriginalTokenCount = &count
	h.screens = []operation.PTYResult{screen("a", nil), cut, screen("c", nil), screen("d", nil), screen("e", &code)}
	var got []sandboxclient.TerminalOutput
	if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		term, first, err := box.OpenTerminal(ctx, sandboxclient.Command{Args: []string{"top"}, User: "agent"}, sandboxclient.TerminalOptions{})
		if err != nil {
			return err
		}
		second, err := term.Write(ctx, "x\x03", sandboxclient.Yield{Time: 1500 * time.Millisecond, MaxTokens: 7})
		if err != nil {
			return err
		}
		third, err := term.Read(ctx, sandboxclient.Yield{})
		if err != nil {
			return err
		}
		rest, err := term.Wait(ctx)
		got = []sandboxclient.TerminalOutput{first, second, third, rest}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]sandboxclient.TerminalOutput{
		{Text: []byte("a")}, {Text: []byte("b"), Tokens: 99}, {Text: []byte("c")}, {Text: []byte("de"), Exited: true, ExitCode: 3},
	}, got); diff != "" {
		t.Error(diff)
	}
	soon, long, seven := 1.5, 30.0, 7
	if diff := cmp.Diff([]operation.PTYExecArgs{{Command: []string{"top"}, Shell: operation.Shell{Off: true}, User: "agent", TTY: true}},
		argsOf[operation.PTYExecArgs](h), cmpopts.IgnoreFields(operation.PTYExecArgs{}, "State", "fault")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]operation.PTYSendArgs{
		{Process: 4711, Chars: "x\x03", YieldTime: &soon, MaxOutputTokens: &seven}, {Process: 4711}, {Process: 4711, YieldTime: &long}, {Process: 4711, YieldTime: &long},
	}, argsOf[operation.PTYSendArgs](h), cmpopts.IgnoreFields(operation.PTYSendArgs{}, "State", "fault")); diff != "" {
		t.Error(diff)
	}
	for _, op := range []operation.Name{operation.PTYExec, operation.PTYSend} {
		o := h.options[op]
		if o.RetryPolicy.MaximumAttempts != 1 || o.StartToCloseTimeout != 5*time.Minute+30*time.Second || o.TaskQueue != ownQueue {
			t.Errorf("%s: options %+v", op, o)
		}
	}
}

// TestTerminalPrepared: a directory and variables reach a command that is talked to as they reach others.
func TestTerminalPrepared(t *testing.T) {
	h := newHost()
	if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		_, _, err := box.OpenTerminal(ctx, sandboxclient.Command{Args: []string{"top"}, Dir: "a", Env: map[string]sandbox.EnvValue{"A": sandbox.EnvLiteral("b")}}, sandboxclient.TerminalOptions{Pipes: true})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	got := argsOf[operation.PTYExecArgs](h)[0]
	if diff := cmp.Diff(operation.Prepared("", "/workspace/a", []string{"A=b"}, []string{"top"}), got.Command); diff != "" || got.TTY {
		t.Error(diff, got.TTY)
	}
}

// TestTerminalRefused: what cannot be carried out as it is schedules nothing.
func TestTerminalRefused(t *testing.T) {
	h := newHost()
	if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
		for name, cmd := range map[string]sandboxclient.Command{
			"empty": {}, "input": {Args: []string{"x"}, Stdin: []byte("x")}, "timeout": {Args: []string{"x"}, Timeout: 1},
		} {
			if _, _, err := box.OpenTerminal(ctx, cmd, sandboxclient.TerminalOptions{}); err == nil {
				t.Errorf("%s: began", name)
			}
		}
		if _, _, err := box.OpenTerminal(ctx, sandboxclient.Command{Args: []string{"x"}}, sandboxclient.TerminalOptions{Yield: sandboxclient.Yield{Time: -1}}); err == nil {
			t.Error("a negative yield: began")
		}
		var term sandboxclient.Terminal
		var marker *sandboxclient.MarkerError
		if _, err := term.Write(ctx, "", sandboxclient.Yield{}); err == nil {
			t.Error("an empty input was typed")
		}
		if _, err := term.Write(ctx, "x", sandboxclient.Yield{MaxTokens: -1}); err == nil {
			t.Error("a negative number of tokens")
		}
		if _, err := term.Write(ctx, "a [redacted:b]", sandboxclient.Yield{}); !errors.As(err, &marker) || marker.Offset != 2 {
			t.Errorf("a marker: %v", err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(h.seen()) != 0 {
		t.Errorf("called %v", h.seen())
	}
}

// TestTerminalFate: an error of a start or of an input says that it may have run, unless the answer says that it did
// not.
func TestTerminalFate(t *testing.T) {
	again := func(kind string) error { return temporal.NewApplicationError("the host's words", kind) }
	for _, c := range []struct {
		name      string
		op        operation.Name
		err       error
		mayHave   bool
		code      backend.Code
		lostAgain bool
	}{
		{"start, not started", operation.PTYExec, answer("exec_transport_error"), false, backend.ExecTransport, false},
		{"start, perhaps not started", operation.PTYExec, again("ExecTransportError"), true, backend.ExecTransport, false},
		{"start, no terminals", operation.PTYExec, answer("NotImplementedError"), false, "", false},
		{"start, no terminals in Python", operation.PTYExec, again("NotImplementedError"), false, "", false},
		{"start, unknown", operation.PTYExec, answer(operation.MayHaveRun), true, "", false},
		{"input, gone", operation.PTYSend, answer("pty_session_not_found"), false, backend.PTYSessionNotFound, false},
		{"input, no terminal", operation.PTYSend, answer("RuntimeError"), false, "", false},
		{"input, any error of Python", operation.PTYSend, again("RuntimeError"), true, "", false},
		{"input, withheld", operation.PTYSend, answer(operation.OutputWithheld), true, "", false},
		{"input, lost host that is back", operation.PTYSend, answer(operation.NotHere), false, backend.PTYSessionNotFound, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost()
			h.screens = []operation.PTYResult{screen("", nil)}
			h.fails[c.op] = []error{c.err}
			if c.lostAgain {
				h.fails[c.op] = append(h.fails[c.op], answer("pty_session_not_found"))
			}
			if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
				term, _, err := box.OpenTerminal(ctx, sandboxclient.Command{Args: []string{"x"}}, sandboxclient.TerminalOptions{})
				if c.op == operation.PTYSend && err == nil {
					_, err = term.Write(ctx, "x", sandboxclient.Yield{})
				}
				if err == nil || errors.Is(err, sandboxclient.ErrMayHaveRun) != c.mayHave || sandboxclient.CodeOf(err) != c.code {
					t.Errorf("error %v, code %q", err, sandboxclient.CodeOf(err))
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}
