package sandboxtest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// terminals are commands that are talked to while they run. A sandbox that has none passes.
func (c Conformance) terminals(t *testing.T) {
	if _, ok := created(t, c.New(t), idOne, sandbox.Manifest{}).(backend.Terminals); !ok {
		return
	}
	t.Run("Exit", c.terminalExit)
	t.Run("Input", c.terminalInput)
	t.Run("Context", c.terminalContext)
	t.Run("Refused", c.terminalRefused)
	t.Run("Ended", c.terminalEnded)
	t.Run("Output", c.terminalOutput)
}

// transcript is what a terminal has shown.
type transcript struct {
	mu   sync.Mutex
	text []byte
	more chan struct{} // closed when there is more
	fail error         // of each Write
}

func (o *transcript) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	if o.more != nil {
		close(o.more)
		o.more = nil
	}
	return len(p), o.fail
}

func (o *transcript) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(o.text)
}

// await waits until the terminal has shown something.
func (o *transcript) await(t *testing.T, want string) {
	t.Helper()
	if !o.shows(want, nil) {
		t.Fatalf("the terminal shows %q, want %q", o, want)
	}
}

// shows waits until the terminal has shown something. It is false if that takes too long, or the command is over before.
func (o *transcript) shows(want string, over <-chan struct{}) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		o.mu.Lock()
		found := strings.Contains(string(o.text), want)
		if o.more == nil {
			o.more = make(chan struct{})
		}
		more := o.more
		o.mu.Unlock()
		if found {
			return true
		}
		select {
		case <-more:
		case <-over:
			return strings.Contains(o.String(), want) // all was written before
		case <-timer.C:
			return false
		}
	}
}

// open starts a command.
func open(t *testing.T, ctx context.Context, s backend.Sandbox, tty bool, cmd backend.Command) (backend.Terminal, *transcript) {
	t.Helper()
	out := new(transcript)
	cmd.Stdout, cmd.Stderr = out, out
	p, err := s.(backend.Terminals).OpenTerminal(ctx, cmd, tty)
	if err != nil {
		t.Fatalf("open terminal: %v", err)
	}
	return p, out
}

// over waits for the end of a command.
func over(t *testing.T, p backend.Terminal) (backend.Result, error) {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(wait):
		t.Fatal("the command did not end")
	}
	return p.Result()
}

func press(t *testing.T, p backend.Terminal, keys string) {
	t.Helper()
	if err := p.Write(t.Context(), []byte(keys)); err != nil {
		t.Fatalf("write: %v", err)
	}
}

// terminalExit is how commands end by themselves, and what is shown of them.
func (c Conformance) terminalExit(t *testing.T) {
	s := c.started(t, sandbox.Manifest{})
	for _, x := range []struct {
		script string
		tty    bool
		exit   int
		out    string
	}{
		{"echo out ; exit 3", true, 3, "out\r\n"},
		{"echo out ; exit 3", false, 3, "out\n"},
		{"printenv GIVEN", true, 0, "a b=c\r\n"},
		{"cat", false, 0, ""}, // nothing to read
	} {
		cmd := c.script(x.script)
		cmd.Env = []string{"GIVEN=a b=c"}
		p, out := open(t, t.Context(), s, x.tty, cmd)
		if result, err := over(t, p); err != nil || result.ExitCode != x.exit || out.String() != x.out {
			t.Errorf("%q, terminal %v: exit code %d, %v, out %q", x.script, x.tty, result.ExitCode, err, out)
		}
		p.Kill()
		if err := p.Write(t.Context(), []byte("x")); err == nil {
			t.Errorf("%q, terminal %v: a write after the end succeeded", x.script, x.tty)
		}
	}
}

// terminalInput is what is typed.
func (c Conformance) terminalInput(t *testing.T) {
	s := c.started(t, sandbox.Manifest{})
	p, out := open(t, t.Context(), s, true, backend.Command{Args: []string{"cat"}})
	press(t, p, "half a ")
	press(t, p, "line\n")
	out.await(t, "half a line\r\nhalf a line\r\n")
	press(t, p, "\x04")
	if result, err := over(t, p); err != nil || result.ExitCode != 0 {
		t.Errorf("end of the input: exit code %d, %v", result.ExitCode, err)
	}
	p, _ = open(t, t.Context(), s, true, backend.Command{Args: []string{"cat"}})
	press(t, p, "\x03")
	if result, err := over(t, p); err != nil || result.ExitCode != sigint {
		t.Errorf("interrupt: exit code %d, %v", result.ExitCode, err)
	}
}

// terminalContext is what the context of the start ends, and what it does not.
func (c Conformance) terminalContext(t *testing.T) {
	s := c.started(t, sandbox.Manifest{})
	ctx, cancel := context.WithCancel(t.Context())
	p, out := open(t, ctx, s, true, backend.Command{Args: []string{"cat"}})
	cancel()
	press(t, p, "still there\n")
	out.await(t, "still there\r\nstill there\r\n")
	for range 2 {
		p.Kill()
	}
	if result, err := over(t, p); err == nil {
		t.Errorf("a killed command ended with exit code %d and no error", result.ExitCode)
	}
	if _, err := s.(backend.Terminals).OpenTerminal(ctx, c.script("count n"), true); !errors.Is(err, context.Canceled) {
		t.Errorf("open terminal with a context that is over: %v", err)
	}
}

// terminalRefused are commands of which nothing runs, which the error says.
func (c Conformance) terminalRefused(t *testing.T) {
	s := created(t, c.New(t), idOne, sandbox.Manifest{})
	refuse := func(what string, args ...string) {
		t.Helper()
		for _, tty := range []bool{true, false} {
			p, err := s.(backend.Terminals).OpenTerminal(t.Context(), backend.Command{Args: args}, tty)
			if err == nil {
				_, err = over(t, p)
			}
			wantCode(t, what, err, backend.ExecTransport)
		}
	}
	refuse("before start", "true")
	start(t, s)
	refuse("a missing program", "no-such-program-at-all")
	p, _ := open(t, t.Context(), s, false, backend.Command{Args: []string{"true"}})
	if err := p.Write(t.Context(), []byte("x")); err == nil {
		t.Error("a write without a terminal succeeded")
	}
	if _, err := over(t, p); err != nil {
		t.Error(err)
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	refuse("after stop", "true")
}

// terminalEnded is what ends commands that would go on.
func (c Conformance) terminalEnded(t *testing.T) {
	for name, end := range map[string]func(backend.Sandbox) error{
		"stop":   func(s backend.Sandbox) error { return s.Stop(t.Context()) },
		"delete": func(s backend.Sandbox) error { return s.Delete(t.Context()) },
	} {
		s := c.started(t, sandbox.Manifest{})
		p, out := open(t, t.Context(), s, true, backend.Command{Args: []string{"cat"}})
		press(t, p, "up\n")
		out.await(t, "up\r\nup\r\n")
		if err := end(s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		select {
		case <-p.Done():
		default:
			t.Errorf("%s: the command was not over", name)
		}
		if result, err := over(t, p); err == nil {
			t.Errorf("%s: the command ended with exit code %d and no error", name, result.ExitCode)
		}
	}
}

// terminalOutput ends a command whose output nobody takes.
func (c Conformance) terminalOutput(t *testing.T) {
	s := c.started(t, sandbox.Manifest{})
	full := errors.New("full")
	out := &transcript{fail: full}
	p, err := s.(backend.Terminals).OpenTerminal(t.Context(), backend.Command{Args: []string{"cat"}, Stdout: out}, true)
	if err != nil {
		t.Fatal(err)
	}
	press(t, p, "x\n")
	if _, err := over(t, p); !errors.Is(err, full) {
		t.Errorf("ended with %v, want the error of its output", err)
	}
}
