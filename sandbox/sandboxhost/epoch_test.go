package sandboxhost_test

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestTakeOver has a second host take a session over from one that was only thought dead. The first stops what it
// runs, starts nothing any more, and ends nothing that the second has.
func TestTakeOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		state := r.create(sandbox.Manifest{})
		ended := make(chan error)
		go func() {
			_, err := r.exec(owner, state, "wait")
			ended <- err
		}()
		synctest.Wait()
		first, stopFirst, fake := r.host, r.stop, r.fake

		r.fake = r.fake.Another()
		r.run()
		out, err := call[operation.SessionResult](r, owner, operation.Resume, operation.StateArgs{State: state})
		if err != nil || out.State.SessionID != state.SessionID {
			t.Fatalf("resume: %v", err)
		}
		if _, err := call[any](r, owner, operation.Start, operation.StateArgs{State: state}); err != nil {
			t.Fatal(err)
		}
		before := len(fake.Effects())
		if _, err := callOn[any](first, owner, operation.Exec, operation.ExecArgs{State: state, Command: []string{"true"}}); errorType(err) != operation.NotHere {
			t.Errorf("exec on the first host: %v", err)
		}
		if err := <-ended; errorType(err) != operation.MayHaveRun && err != nil {
			t.Errorf("the first host's command: %v", err)
		}
		if got := fake.Effects()[before:]; len(got) != 1 || got[0] != "stop "+state.SessionID {
			t.Errorf("effects of the first host: %q", got)
		}
		<-time.After(2 * time.Minute)
		if err := stopFirst(); err != nil {
			t.Error(err)
		}
		if _, err := r.exec(owner, state, "true"); err != nil {
			t.Errorf("exec on the second host: %v", err)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		r.nothingLeft()
	})
}

// TestNoticed has the first host notice by itself.
func TestNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		state := r.create(sandbox.Manifest{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = r.exec(owner, state, "wait") // whatever it ends with
		}()
		synctest.Wait()
		stopFirst := r.stop
		r.fake = r.fake.Another()
		r.run()
		<-time.After(time.Minute)
		<-ended
		if !r.left() {
			t.Error("the first host ended the session")
		}
		if err := errors.Join(stopFirst(), r.stop()); err != nil {
			t.Error(err)
		}
	})
}

// TestUnnoticed has the first host stop before it notices. It removes nothing that another host has.
func TestUnnoticed(t *testing.T) {
	r := newRig(t)
	state := r.create(sandbox.Manifest{})
	stopFirst := r.stop
	r.restart()
	if err := stopFirst(); err != nil {
		t.Error(err)
	}
	if _, err := call[operation.RunningResult](r, owner, operation.Running, operation.StateArgs{State: state}); err != nil {
		t.Errorf("running: %v", err)
	}
}

// TestFenced has a host that hung while another took over start nothing.
func TestFenced(t *testing.T) {
	for _, point := range []sandboxtest.Point{sandboxtest.Open, sandboxtest.Open.After()} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			state := r.create(sandbox.Manifest{})
			r.restart()
			gate := r.faults.Hold(point)
			hung, stopHung := r.host, r.stop
			ended := make(chan error)
			w := owner
			w.activity = "exec"
			go func() {
				_, err := callOn[any](hung, w, operation.Exec, operation.ExecArgs{State: state, Command: []string{"count n"}})
				ended <- err
			}()
			<-gate.Reached()
			r.restart()
			if _, err := call[any](r, owner, operation.Start, operation.StateArgs{State: state}); err != nil {
				t.Fatal(err)
			}
			before := len(r.fake.Effects())
			gate.Open()
			if err := <-ended; errorType(err) != operation.NotHere {
				t.Errorf("exec on the host that hung: %v", err)
			}
			for _, e := range r.fake.Effects()[before:] {
				if e != "stop "+state.SessionID {
					t.Errorf("effect of the host that hung: %q", e)
				}
			}
			if _, err := r.exec(w, state, "count n"); err != nil {
				t.Errorf("the next attempt: %v", err)
			}
			if err := errors.Join(stopHung(), r.stop()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStartedAgain: a command after a restart of the host needs no start, unless the sandbox was stopped.
func TestStartedAgain(t *testing.T) {
	r := newRig(t)
	state := r.create(sandbox.Manifest{})
	count := func(want string) {
		t.Helper()
		if _, err := r.exec(owner, state, "count n"); errorType(err) != want {
			t.Errorf("exec: %v, want %q", err, want)
		}
	}
	count("")
	r.restart()
	count("")
	if _, err := call[any](r, owner, operation.Stop, operation.StopArgs{State: state}); err != nil {
		t.Fatal(err)
	}
	count("exec_transport_error")
	r.restart()
	count("exec_transport_error")
}

// TestResume takes a session up again: with its workspace, with an empty one if the sandbox is gone, and only for its
// owner.
func TestResume(t *testing.T) {
	r := newRig(t)
	state := r.create(sandbox.Manifest{})
	if _, err := r.exec(owner, state, "count n"); err != nil {
		t.Fatal(err)
	}
	resume := func() {
		t.Helper()
		out, err := call[operation.SessionResult](r, owner, operation.Resume, operation.StateArgs{State: state})
		if err != nil || out.State.SessionID != state.SessionID || out.HostQueue != "" {
			t.Errorf("resume: %+v, %v", out, err)
		}
	}
	resume()
	if out, err := r.exec(owner, state, "cat n"); err != nil || string(out.Stdout) != "1" {
		t.Errorf("after resume: %q, %v", out.Stdout, err)
	}
	r.restart()
	if err := r.fake.Delete(t.Context(), state.SessionID); err != nil {
		t.Fatal(err)
	}
	if _, err := r.exec(owner, state, "cat n"); errorType(err) != operation.NotHere {
		t.Errorf("exec in a sandbox that is gone: %v", err)
	}
	resume()
	if records, err := filepath.Glob(filepath.Join(r.dir, state.SessionID, "*.json")); err != nil || len(records) != 1 {
		t.Errorf("records %q, %v, want one", records, err)
	}
	if _, err := r.exec(owner, state, "cat n"); errorType(err) != "exec_transport_error" {
		t.Errorf("exec in a sandbox that is not started: %v", err)
	}
	if _, err := call[any](r, owner, operation.Start, operation.StateArgs{State: state}); err != nil {
		t.Error(err)
	}
	if out, err := r.exec(owner, state, "cat n"); err != nil || out.ExitCode != 1 {
		t.Errorf("in a new workspace: %+v, %v", out, err)
	}
}

// TestStale has a host that did not notice yet end nothing that another one has taken over, whoever asks and whatever
// the deadlines say.
func TestStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *sandboxhost.Options) { o.IdleTimeout, o.PollInterval = 10*time.Minute, time.Hour })
		states := []sandbox.SessionState{r.create(sandbox.Manifest{}), r.create(sandbox.Manifest{}), r.create(sandbox.Manifest{})}
		stale, stopStale := r.host, r.stop
		r.fake = r.fake.Another()
		r.run(func(o *sandboxhost.Options) { o.IdleTimeout = time.Hour })
		for i, name := range []operation.Name{operation.Delete, operation.Stop} {
			if _, err := callOn[any](stale, owner, name, operation.StopArgs{State: states[i]}); errorType(err) != operation.NotHere {
				t.Errorf("%s: %v", name, err)
			}
		}
		<-time.After(11 * time.Minute)
		if err := stopStale(); err != nil {
			t.Error(err)
		}
		for _, state := range states {
			if _, err := r.exec(owner, state, "true"); err != nil {
				t.Errorf("exec on the other host: %v", err)
			}
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		r.nothingLeft()
	})
}
