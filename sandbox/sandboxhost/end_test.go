package sandboxhost_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// nothingLeft checks that there is no sandbox, no command and no record.
func (r *rig) nothingLeft() {
	r.tb.Helper()
	ids, commands := r.fake.Left()
	records, err := filepath.Glob(filepath.Join(r.dir, "*-*")) // directories are named after sessions
	if err != nil || len(ids) > 0 || commands > 0 || len(records) > 0 {
		r.tb.Errorf("left: sandboxes %v, %d commands, %d records, %v", ids, commands, len(records), err)
	}
}

func (r *rig) left() bool {
	ids, _ := r.fake.Left()
	return len(ids) > 0
}

// TestEnds ends sessions in which a command runs, in all ways that need no call. One that lives on does so for longer
// than it may be idle.
func TestEnds(t *testing.T) {
	const poll = time.Minute
	for _, c := range []struct {
		name   string
		within time.Duration
		end    func(*rig)
		keep   bool // whether the session lives on
	}{
		{"success, failure, panic, cancellation", poll, func(r *rig) { r.server.set(run{"run-1", "run-1", 2}) }, false},
		{"termination", poll, func(r *rig) { r.server.set(run{"run-1", "run-1", closed}) }, false},
		{"run timeout", poll, func(r *rig) { r.server.set(run{"run-1", "run-1", 7}) }, false},
		{"deleted", poll, func(r *rig) { r.server.set() }, false},
		{"reused id", poll, func(r *rig) { r.server.set(run{"run-1", "run-1", closed}, run{"run-2", "run-2", open}) }, false},
		{"continue-as-new", 35 * poll, func(r *rig) { r.server.set(run{"run-1", "run-1", goesOn}, run{"run-2", "run-1", open}) }, true},
		{"continue-as-new just now", 35 * poll, func(r *rig) { r.server.set(run{"run-1", "run-1", goesOn}) }, true},
		{"paused", 35 * poll, func(r *rig) { r.server.set(run{"run-1", "run-1", 8}) }, true},
		{"server that does not answer", 35 * poll, func(r *rig) { r.server.fail(errors.New("down")) }, true},
		{"age, with a command", 24 * time.Hour, func(*rig) {}, false},
		{"worker stop", 0, func(r *rig) {
			if err := r.stop(); err != nil {
				r.tb.Error(err)
			}
		}, false},
		{"owner that ended while no host ran", 0, func(r *rig) {
			r.server.set(run{"run-1", "run-1", closed})
			r.restart()
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, func(o *sandboxhost.Options) { o.PollInterval = poll })
				state := r.create(sandbox.Manifest{})
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					_, _ = r.exec(owner, state, "wait") // whatever it ends with
				}()
				synctest.Wait()
				first := r.stop
				c.end(r)
				<-time.After(c.within)
				synctest.Wait()
				if c.keep {
					if !r.left() {
						t.Error("the session ended")
					}
				} else {
					r.nothingLeft()
				}
				if err := r.stop(); err != nil {
					t.Error(err)
				}
				_ = first()
				<-ended
				r.nothingLeft()
			})
		})
	}
}

// TestIdle ends a session that nothing uses, and not one that is used.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *sandboxhost.Options) { o.IdleTimeout = 10 * time.Minute })
		state := r.create(sandbox.Manifest{})
		for range 3 {
			<-time.After(9 * time.Minute)
			if _, err := call[any](r, owner, operation.Running, operation.StateArgs{State: state}); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(10*time.Minute - time.Second)
		if !r.left() {
			t.Error("ended too early")
		}
		<-time.After(2 * time.Second)
		synctest.Wait()
		r.nothingLeft()
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestAge ends a session that is never idle when it is as old as it may be, and not before.
func TestAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *sandboxhost.Options) { o.IdleTimeout, o.MaxLifetime = 30*time.Minute, 2*time.Hour })
		state := r.create(sandbox.Manifest{})
		use := func() {
			t.Helper()
			if _, err := call[any](r, owner, operation.Running, operation.StateArgs{State: state}); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			<-time.After(20 * time.Minute)
			use()
		}
		<-time.After(20*time.Minute - time.Second)
		use()
		<-time.After(2 * time.Second)
		synctest.Wait()
		r.nothingLeft()
		if _, err := r.exec(owner, state, "true"); errorType(err) != operation.NotHere {
			t.Errorf("exec: %v", err)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestBusy does not take a session for idle in which a command runs.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *sandboxhost.Options) { o.IdleTimeout = 2 * time.Minute })
		state := r.create(sandbox.Manifest{})
		r.fake.Handle("hold", func(ctx context.Context, _ backend.Command) int {
			select {
			case <-time.After(8 * time.Minute):
			case <-ctx.Done():
			}
			return 0
		})
		if _, err := r.exec(owner, state, "hold"); err != nil {
			t.Error(err)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestIdleOnDisk counts from the last use also after a restart.
func TestIdleOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idle := func(o *sandboxhost.Options) { o.IdleTimeout = 8 * time.Minute }
		r := newRig(t, idle)
		state := r.create(sandbox.Manifest{})
		<-time.After(4 * time.Minute)
		if _, err := call[any](r, owner, operation.Running, operation.StateArgs{State: state}); err != nil {
			t.Fatal(err)
		}
		first := r.stop
		r.restart(idle)
		<-time.After(8*time.Minute - time.Second)
		if !r.left() {
			t.Error("ended too early")
		}
		<-time.After(time.Minute)
		synctest.Wait()
		r.nothingLeft()
		_, _ = first(), r.stop()
	})
}

// TestAskedAtOnce asks about the owner when an operation was cancelled, and not only with the next poll.
func TestAskedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *sandboxhost.Options) { o.PollInterval = time.Hour })
		state := r.create(sandbox.Manifest{})
		ctx, cancel := context.WithCancel(t.Context())
		w := owner
		w.gone = ctx.Done()
		ended := make(chan error)
		go func() {
			_, err := r.exec(w, state, "wait")
			ended <- err
		}()
		synctest.Wait()
		asked := r.server.questions()
		r.server.set(run{"run-1", "run-1", closed})
		cancel()
		if err := <-ended; err == nil {
			t.Error("a command that was cancelled succeeded")
		}
		synctest.Wait()
		if r.server.questions() == asked {
			t.Error("nobody asked")
		}
		r.nothingLeft()
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestEndFails tries again what could not be removed, says so, and lets the owner try, too.
func TestEndFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		state := r.create(sandbox.Manifest{})
		r.faults.Fail(sandboxtest.Delete, errors.New("a text of somebody else"), errors.New("x"), errors.New("x"))
		del := func() error {
			_, err := call[any](r, owner, operation.Delete, operation.StopArgs{State: state})
			return err
		}
		err := del()
		if err == nil || final(err) || errorType(err) != "WorkspaceStopError" || strings.Contains(err.Error(), "somebody else") {
			t.Errorf("delete: %v", err)
		}
		if _, err := r.exec(owner, state, "true"); errorType(err) != operation.NotHere {
			t.Errorf("exec in a session that ends: %v", err)
		}
		if err := del(); err == nil {
			t.Error("the second attempt succeeded")
		}
		<-time.After(2*time.Minute + time.Second)
		synctest.Wait()
		r.nothingLeft()
		if err := del(); err != nil {
			t.Errorf("delete of what is gone: %v", err)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestEndAgain lets the owner of a session that ended, and nobody else, end it again on the next host.
func TestEndAgain(t *testing.T) {
	r := newRig(t)
	const secret = "hunter2"
	state := r.create(sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"A": sandbox.EnvLiteral(secret)}}})
	endings := []operation.Name{operation.Delete, operation.Stop, operation.Shut}
	if _, err := call[any](r, owner, operation.Delete, operation.StopArgs{State: state}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r.restart()
		for _, name := range endings {
			if _, err := call[any](r, owner, name, operation.StopArgs{State: state}); err != nil {
				t.Errorf("%s by the owner: %v", name, err)
			}
			for _, w := range []who{{}, {workflow: "other", run: "run-9"}, {workflow: "w", run: "run-2"}} {
				if _, err := call[any](r, w, name, operation.StopArgs{State: state}); errorType(err) != operation.NotHere {
					t.Errorf("%s by %+v: %v", name, w, err)
				}
			}
		}
		for _, name := range []operation.Name{operation.Resume, operation.Running, operation.Start} {
			if _, err := call[any](r, owner, name, operation.StateArgs{State: state}); errorType(err) != operation.NotHere {
				t.Errorf("%s of a session that ended: %v", name, err)
			}
		}
	}
	kept, err := filepath.Glob(filepath.Join(r.dir, "ended", "*"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept: %q, %v", kept, err)
	}
	if data, err := os.ReadFile(kept[0]); err != nil || strings.Contains(string(data), secret) {
		t.Errorf("kept %s, %v", data, err)
	}
	r.nothingLeft()
}

// TestEndFailsAtStop says that something is left, which the next host removes.
func TestEndFailsAtStop(t *testing.T) {
	r := newRig(t)
	r.create(sandbox.Manifest{})
	r.faults.Fail(sandboxtest.Delete, errors.New("x"))
	if err := r.stop(); err == nil || strings.Contains(err.Error(), r.dir) {
		t.Errorf("Run = %v", err)
	}
	r.run()
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	r.nothingLeft()
}

// TestKeepOnStop leaves workspaces to the next host, and no process.
func TestKeepOnStop(t *testing.T) {
	keep := func(o *sandboxhost.Options) { o.KeepOnStop = true }
	r := newRig(t, keep)
	state := r.create(sandbox.Manifest{})
	if _, err := r.exec(owner, state, "count n"); err != nil {
		t.Fatal(err)
	}
	running, ended := make(chan struct{}), make(chan struct{})
	r.fake.Handle("hold", func(ctx context.Context, _ backend.Command) int {
		close(running)
		<-ctx.Done()
		return 0
	})
	go func() {
		defer close(ended)
		_, _ = r.exec(owner, state, "hold")
	}()
	<-running
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if _, commands := r.fake.Left(); commands > 0 || !r.left() {
		t.Errorf("left: %v, %d commands", r.left(), commands)
		r.fake.Kill()
	}
	<-ended
	r.run()
	if out, err := call[operation.DataResult](r, owner, operation.Read, operation.ReadArgs{State: state, Path: "n"}); err != nil || string(out.Data) != "1" {
		t.Errorf("read %q, %v", out.Data, err)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	r.nothingLeft()
}

// TestStart clears up what an earlier host left undone.
func TestStart(t *testing.T) {
	r := newRig(t, func(o *sandboxhost.Options) { o.KeepOnStop = true })
	lost, orphan, corrupt := r.create(sandbox.Manifest{}), r.create(sandbox.Manifest{}), r.create(sandbox.Manifest{})
	kept := r.create(sandbox.Manifest{})
	if err := errors.Join(r.stop(), r.fake.Delete(t.Context(), lost.SessionID), os.RemoveAll(r.dir+"/"+orphan.SessionID),
		os.WriteFile(r.dir+"/"+corrupt.SessionID+"/7.json", []byte("{"), 0o600), os.Mkdir(r.dir+"/not-a-session", 0o700)); err != nil {
		t.Fatal(err)
	}
	r.run()
	if ids, _ := r.fake.Left(); len(ids) != 1 || ids[0] != kept.SessionID {
		t.Errorf("left: %v, want %s", ids, kept.SessionID)
	}
	for _, gone := range []sandbox.SessionState{lost, orphan, corrupt} {
		if _, err := r.exec(owner, gone, "true"); errorType(err) != operation.NotHere {
			t.Errorf("exec: %v", err)
		}
	}
}
