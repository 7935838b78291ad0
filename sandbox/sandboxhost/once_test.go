package sandboxhost_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestOnce breaks an attempt at each step, and makes the same attempt again: the command never runs twice, and if
// nobody knows whether it ran the answer says so.
func TestOnce(t *testing.T) {
	transport := &backend.Error{Code: backend.ExecTransport, Message: "not started", Retryable: true}
	for _, c := range []struct {
		name         string
		point        sandboxtest.Point
		err          error
		first, again string // types of the errors
		count        string // how often it ran in the end
	}{
		{"nothing goes wrong", sandboxtest.Exec, nil, "", operation.MayHaveRun, "1"},
		{"not started", sandboxtest.Exec, transport, "ExecTransportError", "", "1"},
		{"failed before", sandboxtest.Exec, errors.New("x"), operation.MayHaveRun, operation.MayHaveRun, ""},
		{"failed after", sandboxtest.Exec.After(), errors.New("x"), operation.MayHaveRun, operation.MayHaveRun, "1"},
		{"retryable failure after", sandboxtest.Exec.After(), &backend.Error{Code: backend.ExecNonzero, Message: "x", Retryable: true}, operation.MayHaveRun, operation.MayHaveRun, "1"},
		{"timed out", sandboxtest.Exec.After(), &backend.Error{Code: backend.ExecTimeout, Message: "command timed out"}, "exec_timeout", operation.MayHaveRun, "1"},
		{"sandbox vanished", sandboxtest.Exec, backend.ErrNotFound, operation.MayHaveRun, operation.MayHaveRun, ""},
	} {
		for _, restarted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restarted %v", c.name, restarted), func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				state := r.create(sandbox.Manifest{})
				r.faults.Fail(c.point, c.err)
				w := owner
				w.activity = "exec"
				if _, err := r.exec(w, state, "count n"); errorType(err) != c.first {
					t.Errorf("first attempt: %v", err)
				}
				if restarted {
					r.restart()
					if _, err := call[any](r, owner, operation.Start, operation.StateArgs{State: state}); err != nil {
						t.Fatal(err)
					}
				}
				w.attempt = 2
				if _, err := r.exec(w, state, "count n"); errorType(err) != c.again {
					t.Errorf("second attempt: %v", err)
				}
				out, err := call[operation.DataResult](r, owner, operation.Read, operation.ReadArgs{State: state, Path: "n"})
				if string(out.Data) != c.count {
					t.Errorf("it ran %q times, want %q (%v)", out.Data, c.count, err)
				}
			})
		}
	}
}

// TestOnceKilled kills the host at random points while it runs 200 commands, and has each attempt made again until it
// ends. No command runs twice, and those that were answered ran.
func TestOnceKilled(t *testing.T) {
	const commands = 200
	r := newRig(t)
	state := r.create(sandbox.Manifest{})
	random := rand.New(rand.NewPCG(1, 2)) // the same points each time
	points := []sandboxtest.Point{sandboxtest.Open, sandboxtest.Open.After(), sandboxtest.Exec, sandboxtest.Exec.After()}
	for n := range commands {
		w := owner
		w.activity = fmt.Sprint("exec-", n)
		var gate *sandboxtest.Gate
		killed := random.IntN(4) == 0
		if killed {
			gate = r.faults.Hold(points[random.IntN(len(points))])
			dead, held := r.host, gate
			ended := make(chan struct{})
			ctx, kill := context.WithCancel(t.Context())
			go func() {
				defer close(ended)
				w := w
				w.gone = ctx.Done()
				_, _ = callOn[operation.ExecResult](dead, w, operation.Exec, operation.ExecArgs{State: state, Command: []string{fmt.Sprint("count n", n)}})
			}()
			select {
			case <-held.Reached():
			case <-ended: // a point that this attempt does not come by
			}
			r.restart()
			kill()
			<-ended
			if _, err := call[any](r, owner, operation.Start, operation.StateArgs{State: state}); err != nil {
				t.Fatal(err)
			}
		}
		_, err := r.exec(w, state, fmt.Sprint("count n", n))
		out, _ := call[operation.DataResult](r, owner, operation.Read, operation.ReadArgs{State: state, Path: fmt.Sprint("n", n)})
		ran := string(out.Data)
		switch {
		case ran != "" && ran != "1":
			t.Fatalf("command %d ran %s times", n, ran)
		case err == nil && ran != "1":
			t.Fatalf("command %d was answered and did not run", n)
		case err != nil && errorType(err) != operation.MayHaveRun:
			t.Fatalf("command %d: %v", n, err)
		case err != nil && !killed:
			t.Fatalf("command %d was not disturbed: %v", n, err)
		}
	}
}

// TestDiskFull starts nothing that it cannot note before.
func TestDiskFull(t *testing.T) {
	r := newRig(t)
	state := r.create(sandbox.Manifest{})
	runs := filepath.Join(r.dir, state.SessionID, "runs")
	if err := errors.Join(os.RemoveAll(runs), os.WriteFile(runs, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	before := len(r.fake.Effects())
	_, err := r.exec(owner, state, "count n")
	if err == nil || final(err) || len(r.fake.Effects()) != before {
		t.Errorf("exec: %v, effects %q", err, r.fake.Effects()[before:])
	}
}

// TestCreateAgain makes the same sandbox in all attempts of an activity, however the earlier ones ended.
func TestCreateAgain(t *testing.T) {
	for _, c := range []struct {
		name  string
		point sandboxtest.Point
		err   error
	}{
		{"nothing goes wrong", sandboxtest.Create, nil},
		{"failed before", sandboxtest.Create, errors.New("x")},
		{"failed after", sandboxtest.Create.After(), errors.New("x")},
	} {
		for _, restarted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restarted %v", c.name, restarted), func(t *testing.T) {
				t.Parallel()
				r := newRig(t)
				r.faults.Fail(c.point, c.err)
				w := owner
				w.activity = "create"
				first, err := call[operation.SessionResult](r, w, operation.Create, operation.CreateArgs{})
				if (err == nil) != (c.err == nil) || final(err) {
					t.Errorf("first attempt: %v", err)
				}
				if left, _ := r.fake.Left(); c.err != nil && len(left) > 0 {
					t.Errorf("a failure left %v", left)
				}
				if restarted {
					r.restart()
				}
				second, err := call[operation.SessionResult](r, w, operation.Create, operation.CreateArgs{})
				if err != nil {
					t.Fatal(err)
				}
				if first.State.SessionID != "" && first.State.SessionID != second.State.SessionID {
					t.Errorf("sessions %s and %s", first.State.SessionID, second.State.SessionID)
				}
				if left, _ := r.fake.Left(); len(left) != 1 || left[0] != second.State.SessionID {
					t.Errorf("left: %v", left)
				}
			})
		}
	}
}

// TestDeletedWhileMade ends a session whose sandbox comes too late. Run waits for it.
func TestDeletedWhileMade(t *testing.T) {
	for _, point := range []sandboxtest.Point{sandboxtest.Create, sandboxtest.Create.After()} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			gate := r.faults.Hold(point)
			ended := make(chan error)
			go func() {
				_, err := call[any](r, owner, operation.Create, operation.CreateArgs{})
				ended <- err
			}()
			<-gate.Reached()
			stopped := make(chan error, 1)
			go func() { stopped <- r.stop() }()
			synctest.Wait()
			select {
			case err := <-stopped:
				t.Errorf("Run did not wait: %v", err)
			default:
			}
			gate.Open()
			if err := <-ended; errorType(err) != operation.NotHere {
				t.Errorf("create: %v", err)
			}
			if err := <-stopped; err != nil {
				t.Error(err)
			}
			r.nothingLeft()
		})
	}
}

// TestOnceAtATime makes two attempts of one activity at the same time: one that the server gave up, and the next. A
// third one that comes later need not wait for its turn.
func TestOnceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(o *sandboxhost.Options) { o.MaxConcurrent, o.ReservedSlots = 2, 1 })
		state := r.create(sandbox.Manifest{})
		first := make(chan struct{})
		r.fake.Handle("hold", func(ctx context.Context, _ backend.Command) int {
			select {
			case <-first:
			case <-ctx.Done():
			}
			return 0
		})
		ended := make(chan error, 3)
		begin := func(w who, command string) {
			go func() {
				_, err := r.exec(w, state, command)
				ended <- err
			}()
			synctest.Wait()
		}
		begin(owner, "hold") // the one slot there is
		w := owner
		w.activity = "exec"
		begin(w, "count n")
		begin(w, "count n")
		close(first)
		got := map[string]int{}
		for range 3 {
			got[errorType(<-ended)]++
		}
		if diff := cmp.Diff(map[string]int{"": 2, operation.MayHaveRun: 1}, got); diff != "" {
			t.Error(diff)
		}
		if out, err := r.exec(owner, state, "cat n"); err != nil || string(out.Stdout) != "1" {
			t.Errorf("it ran %q times, %v", out.Stdout, err)
		}
		begin(owner, "wait")
		if _, err := r.exec(w, state, "count n"); errorType(err) != operation.MayHaveRun {
			t.Errorf("the third attempt: %v", err)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil { // it was killed, which is a result
			t.Error(err)
		}
	})
}

// TestNotRunning makes no sandbox that nobody would end.
func TestNotRunning(t *testing.T) {
	r := newRig(t)
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := call[any](r, owner, operation.Create, operation.CreateArgs{}); err == nil || final(err) {
		t.Errorf("create after the end: %v", err)
	}
	r.host = r.newHost(r.fake)
	if _, err := call[any](r, owner, operation.Create, operation.CreateArgs{}); err == nil || final(err) {
		t.Errorf("create before Run: %v", err)
	}
	if left, _ := r.fake.Left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := r.host.Serve(cancelled(t), r.server); err != nil {
		t.Error(err)
	}
	if err := r.host.Serve(cancelled(t), r.server); err == nil {
		t.Error("Run a second time succeeded")
	}
}

func cancelled(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
