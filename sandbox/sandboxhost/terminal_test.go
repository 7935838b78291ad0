package sandboxhost_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// open starts a command at a terminal and waits as shortly as possible.
func (r *rig) open(w who, state sandbox.SessionState, command string) (operation.PTYResult, error) {
	return call[operation.PTYResult](r, w, operation.PTYExec, operation.PTYExecArgs{State: state, Command: []string{command}, TTY: true, YieldTime: new(float64)})
}

func (r *rig) press(w who, state sandbox.SessionState, id int, keys string) (operation.PTYResult, error) {
	return call[operation.PTYResult](r, w, operation.PTYSend, operation.PTYSendArgs{State: state, Process: id, Chars: keys})
}

// opened starts a command that goes on.
func (r *rig) opened(w who, state sandbox.SessionState, command string) (int, operation.PTYResult) {
	r.tb.Helper()
	out, err := r.open(w, state, command)
	if err != nil || out.ProcessID == nil {
		r.tb.Fatalf("%s: %+v, %v", command, out, err)
	}
	return *out.ProcessID, out
}

// TestOpenedOnce breaks a start at each step, and makes the same attempt again: the command never runs twice, and if
// nobody knows whether it ran the answer says so.
func TestOpenedOnce(t *testing.T) {
	transport := &backend.Error{Code: backend.ExecTransport, Message: "not started", Retryable: true}
	for _, c := range []struct {
		name         string
		point        sandboxtest.Point
		err          error
		first, again string // types of the errors
		count        string // how often it ran in the end
	}{
		{"nothing goes wrong", sandboxtest.OpenTerminal, nil, "", operation.MayHaveRun, "1"},
		{"not started", sandboxtest.OpenTerminal, transport, "ExecTransportError", "", "1"},
		{"failed before", sandboxtest.OpenTerminal, errors.New("x"), operation.MayHaveRun, operation.MayHaveRun, ""},
		{"failed after", sandboxtest.OpenTerminal.After(), errors.New("x"), operation.MayHaveRun, operation.MayHaveRun, "1"},
	} {
		for _, restarted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restarted %v", c.name, restarted), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t)
					state := r.create(sandbox.Manifest{})
					r.faults.Fail(c.point, c.err)
					w := owner
					w.activity = "start"
					if _, err := r.open(w, state, "count n"); errorType(err) != c.first {
						t.Errorf("first attempt: %v", err)
					}
					synctest.Wait()
					if restarted {
						r.restart()
					}
					w.attempt = 2
					if _, err := r.open(w, state, "count n"); errorType(err) != c.again {
						t.Errorf("second attempt: %v", err)
					}
					synctest.Wait()
					out, err := call[operation.DataResult](r, owner, operation.Read, operation.ReadArgs{State: state, Path: "n"})
					if string(out.Data) != c.count {
						t.Errorf("it ran %q times, want %q (%v)", out.Data, c.count, err)
					}
				})
			})
		}
	}
}

// TestTypedOnce types once for all attempts of an activity. Polls may be made again.
func TestTypedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		state := r.create(sandbox.Manifest{})
		id, _ := r.opened(owner, state, "cat")
		w := owner
		w.activity = "write"
		if out, err := r.press(w, state, id, "x\n"); err != nil || string(out.Output) != "x\r\nx\r\n" {
			t.Errorf("first attempt: %q, %v", out.Output, err)
		}
		w.attempt = 2
		if _, err := r.press(w, state, id, "x\n"); errorType(err) != operation.MayHaveRun || !final(err) {
			t.Errorf("second attempt: %v", err)
		}
		w.activity = "poll"
		for range 2 {
			if out, err := r.press(w, state, id, ""); err != nil || len(out.Output) > 0 {
				t.Errorf("poll: %q, %v", out.Output, err)
			}
		}
	})
}

// TestCancelled ends a command that nobody has the id of, and no other.
func TestCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		state := r.create(sandbox.Manifest{})
		id, _ := r.opened(owner, state, "cat")
		for name, attempt := range map[string]func(who) error{
			"start": func(w who) error { _, err := r.open(w, state, "cat"); return err },
			"poll":  func(w who) error { _, err := r.press(w, state, id, ""); return err },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			w := owner
			w.gone = ctx.Done()
			ended := make(chan error)
			go func() { ended <- attempt(w) }()
			synctest.Wait()
			cancel()
			if err := <-ended; err == nil {
				t.Errorf("%s: it succeeded", name)
			}
			synctest.Wait()
		}
		if _, commands := r.fake.Left(); commands != 1 {
			t.Errorf("%d commands run", commands)
		}
		if _, err := r.press(owner, state, id, "x"); err != nil {
			t.Errorf("the other command: %v", err)
		}
	})
}

// TestEndedWhilePolled answers who waits for a command that somebody ends.
func TestEndedWhilePolled(t *testing.T) {
	for _, name := range []operation.Name{operation.Stop, operation.Shut, operation.Delete} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			state := r.create(sandbox.Manifest{})
			id, _ := r.opened(owner, state, "cat")
			polled, typed, started := make(chan error), make(chan error), make(chan error)
			go func() { _, err := r.press(owner, state, id, ""); polled <- err }()
			go func() { _, err := r.press(owner, state, id, "x"); typed <- err }()
			go func() { _, err := r.open(owner, state, "cat"); started <- err }()
			synctest.Wait()
			if _, err := call[any](r, owner, name, operation.StopArgs{State: state}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if err := <-polled; errorType(err) != "pty_session_not_found" {
				t.Errorf("%s: poll: %v", name, err)
			}
			if err := <-typed; errorType(err) != operation.MayHaveRun {
				t.Errorf("%s: input: %v", name, err)
			}
			if err := <-started; errorType(err) != operation.MayHaveRun {
				t.Errorf("%s: start: %v", name, err)
			}
			if _, commands := r.fake.Left(); commands > 0 {
				t.Errorf("%s: %d commands run", name, commands)
			}
		})
	}
}

// TestTerminalLimit ends the command that was used least for one too many.
func TestTerminalLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.WarnLevel)
		r := newRig(t, func(o *sandboxhost.Options) { o.Logger = zap.New(core) })
		state := r.create(sandbox.Manifest{})
		var ids []int
		for range 64 {
			id, _ := r.opened(owner, state, "cat")
			ids = append(ids, id)
		}
		if n := logs.FilterMessageSnippet("many commands").Len(); n != 5 {
			t.Errorf("%d warnings, want one for each command from the 60th on", n)
		}
		if _, err := r.press(owner, state, ids[0], "x"); err != nil { // not the least used any more
			t.Fatal(err)
		}
		known := func(i int) bool {
			_, err := r.press(owner, state, ids[i], "x")
			return errorType(err) != "pty_session_not_found"
		}
		r.opened(owner, state, "cat")
		synctest.Wait()
		if _, commands := r.fake.Left(); commands != 64 {
			t.Errorf("%d commands run", commands)
		}
		if n := logs.FilterMessageSnippet("used least").Len(); n != 1 {
			t.Errorf("%d logs of ended commands", n)
		}
		if known(1) {
			t.Error("the command that was used least is still there")
		}
		for _, i := range []int{0, 2, 63} {
			if !known(i) {
				t.Errorf("command %d was ended", i)
			}
		}
	})
}

// TestTerminalSlots has a command take a turn for its start alone: one that goes on holds nobody up.
func TestTerminalSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *sandboxhost.Options) { o.MaxConcurrent, o.ReservedSlots = 2, 1 })
		state := r.create(sandbox.Manifest{})
		r.opened(owner, state, "cat")
		id, _ := r.opened(owner, state, "cat")
		if _, err := r.exec(owner, state, "true"); err != nil {
			t.Errorf("exec: %v", err)
		}
		polled := make(chan error, 1)
		go func() { _, err := r.press(owner, state, id, ""); polled <- err }()
		synctest.Wait()
		if _, err := r.exec(owner, state, "true"); err != nil { // after the poll
			t.Errorf("exec: %v", err)
		}
		synctest.Wait()
		select {
		case err := <-polled:
			if err != nil {
				t.Error(err)
			}
		default:
			t.Error("a poll took no turn")
		}
	})
}

// TestTerminalOutput keeps a bounded part of what nobody asks for.
func TestTerminalOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *sandboxhost.Options) { o.MaxOutput = 1024 })
		state := r.create(sandbox.Manifest{})
		r.fake.Handle("flood", func(_ context.Context, cmd backend.Command) int {
			_, _ = cmd.Stdin.Read(make([]byte, 1))
			_, _ = io.WriteString(cmd.Stdout, "begin"+strings.Repeat("x", 1<<20)+"end")
			_, _ = cmd.Stdin.Read(make([]byte, 1))
			return 0
		})
		id, _ := r.opened(owner, state, "flood")
		out, err := r.press(owner, state, id, "\n")
		text := string(out.Output)
		if err != nil || len(text) > 1100 || !strings.HasPrefix(text, "\r\nbegin") || !strings.HasSuffix(text, "end") || !strings.Contains(text, " bytes left out ...]") {
			t.Errorf("%d bytes, %v: %.40q", len(text), err, text)
		}
		if out, err = r.press(owner, state, id, ""); err != nil || len(out.Output) > 0 {
			t.Errorf("what was told is told again: %q, %v", out.Output, err)
		}
	})
}

// TestTerminalSecret gives a command a value, and hides it in what comes back: in two pieces between which it is
// asked, in what is typed and echoed, and in a character at a time. What may be the beginning of a value waits.
func TestTerminalSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := secretstest.Canary(t)
		r := newRig(t)
		state := r.create(withToken())
		w := owner
		w.binder = newBinder(t, map[string]string{"env:PROD_TOKEN": token})
		r.fake.Handle("halves", func(_ context.Context, cmd backend.Command) int {
			_, value, _ := strings.Cut(cmd.Env[0], "=")
			key := make([]byte, 100)
			_, _ = io.WriteString(cmd.Stdout, "first #"+value[:8])
			_, _ = cmd.Stdin.Read(key)
			_, _ = io.WriteString(cmd.Stdout, value[8:]+" second #\n")
			_, _ = cmd.Stdin.Read(key)
			for _, c := range []byte(value + "#") {
				_, _ = cmd.Stdout.Write([]byte{c})
			}
			_, _ = cmd.Stdin.Read(key)
			_, _ = io.WriteString(cmd.Stdout, " last "+value[:8])
			return 0
		})
		id, first := r.opened(w, state, "halves")
		if got := string(first.Output); got != "first #" {
			t.Errorf("first: %q", got)
		}
		polled, err := r.press(w, state, id, "")
		if err != nil || len(polled.Output) > 0 {
			t.Errorf("the beginning of a value was told: %q, %v", polled.Output, err)
		}
		// Its echo comes between the halves, as a line end within a value would.
		second, err := r.press(w, state, id, "\n")
		if got := string(second.Output); err != nil || got != "[redacted:env:PROD_TOKEN] second #\r\n" {
			t.Errorf("second: %q, %v", got, err)
		}
		typed, err := r.press(w, state, id, token+"\n")
		if got := string(typed.Output); err != nil || !strings.HasPrefix(got, "[redacted:env:PROD_TOKEN]") {
			t.Errorf("typed: %q, %v", got, err)
		}
		last, err := r.press(w, state, id, "\n")
		if got := string(last.Output); err != nil || last.ExitCode == nil || !strings.HasSuffix(got, " last "+token[:8]) {
			t.Errorf("last: %q, %v", got, err)
		}
		secretstest.AssertAbsent(t, []string{token}, first.Output, second.Output, typed.Output, last.Output)

		if _, err := r.press(owner, state, id, ""); errorType(err) != "pty_session_not_found" {
			t.Errorf("after the end: %v", err)
		}
		if _, err := r.open(owner, state, "cat"); errorType(err) != "sandboxguard.NoGuard" {
			t.Errorf("without a guard: %v", err)
		}
		id, _ = r.opened(w, state, "cat")
		if _, err := r.press(owner, state, id, "x"); errorType(err) != operation.OutputWithheld {
			t.Errorf("asked on a worker without a guard: %v", err)
		}
	})
}

// TestTerminalSecretLater hides in what nobody was told yet what the guard has come to know since.
func TestTerminalSecretLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		token := secretstest.Canary(t)
		r := newRig(t)
		state := r.create(sandbox.Manifest{})
		w := owner
		w.binder = newBinder(t, nil)
		r.fake.Handle("says", func(_ context.Context, cmd backend.Command) int {
			key := make([]byte, 100)
			_, _ = cmd.Stdin.Read(key)
			_, _ = io.WriteString(cmd.Stdout, token)
			_, _ = cmd.Stdin.Read(key)
			return 0
		})
		id, _ := r.opened(w, state, "says")
		ctx, cancel := context.WithCancel(t.Context())
		first := w
		first.gone = ctx.Done()
		ended := make(chan error)
		go func() { _, err := r.press(first, state, id, "\n"); ended <- err }()
		synctest.Wait()
		cancel() // before anybody is told
		if err := <-ended; err == nil {
			t.Error("it succeeded")
		}
		b := newBinder(t, nil)
		if err := b.holder.Add("late", token); err != nil {
			t.Fatal(err)
		}
		w.binder = b
		if out, err := r.press(w, state, id, ""); err != nil || string(out.Output) != "\r\n[redacted:late]" {
			t.Errorf("%q, %v", out.Output, err)
		}
	})
}
