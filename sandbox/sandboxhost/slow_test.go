package sandboxhost_test

import (
	"context"
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

// deaf is a backend that ends nothing before it is let, whatever its contexts say.
type deaf struct {
	backend.Backend
	let chan struct{}
}

func (b deaf) Create(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	box, err := b.Backend.Create(ctx, spec)
	return deafBox{box, b.let}, err
}

type deafBox struct {
	backend.Sandbox
	let chan struct{}
}

func (b deafBox) Stop(ctx context.Context) error {
	<-b.let
	return b.Sandbox.Stop(ctx)
}

func (b deafBox) Delete(ctx context.Context) error {
	<-b.let
	return b.Sandbox.Delete(context.WithoutCancel(ctx))
}

const stopTimeout = 30 * time.Second

// newDeaf returns a rig whose host runs over a deaf backend.
func newDeaf(t *testing.T, keep bool) (r *rig, let chan struct{}) {
	t.Helper()
	r, let = newRig(t), make(chan struct{})
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	r.dir = filepath.Join(t.TempDir(), "own")
	r.host = r.newHost(deaf{r.fake, let}, func(o *sandboxhost.Options) { o.StopTimeout, o.KeepOnStop = stopTimeout, keep })
	r.serve()
	return r, let
}

// took returns how long something took.
func took(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// TestSlowEnd waits for the end of a session no longer than it may take. The end goes on, nobody begins another one, and
// it counts when it comes.
func TestSlowEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, let := newDeaf(t, false)
		state := r.create(sandbox.Manifest{})
		for _, name := range []operation.Name{operation.Stop, operation.Delete, operation.Delete} {
			var err error
			if d := took(func() { _, err = call[any](r, owner, name, operation.StopArgs{State: state}) }); d != stopTimeout {
				t.Errorf("%s took %v", name, d)
			}
			if errorType(err) != "WorkspaceStopError" || final(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
		close(let)
		synctest.Wait()
		r.nothingLeft()
		if _, err := call[any](r, owner, operation.Delete, operation.StopArgs{State: state}); err != nil {
			t.Errorf("delete again: %v", err)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestSlowEnds has more sessions hang than end at a time, and others end all the same.
func TestSlowEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, let := newDeaf(t, false)
		for range 100 {
			r.create(sandbox.Manifest{})
		}
		<-time.After(time.Hour) // they were idle for too long
		late := r.create(sandbox.Manifest{})
		r.server.set(run{"run-1", "run-1", closed})
		<-time.After(2 * time.Minute)
		if _, err := r.exec(owner, late, "true"); errorType(err) != operation.NotHere {
			t.Errorf("nobody ended the last one: %v", err)
		}
		close(let)
		synctest.Wait()
		r.nothingLeft()
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestSlowStop has Run end in time, with an error that says what is left. The directory stays in use until the backend
// is done.
func TestSlowStop(t *testing.T) {
	for name, keep := range map[string]bool{"sessions end": false, "sessions are kept": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, let := newDeaf(t, keep)
				for range 20 {
					r.create(sandbox.Manifest{})
				}
				var err error
				if d := took(func() { err = r.stop() }); d != stopTimeout || err == nil || !strings.Contains(err.Error(), "20 sessions") {
					t.Errorf("Run took %v to end: %v", d, err)
				}
				if got := attempt(t, r.dir, sandboxtest.NewFake()); !strings.Contains(got, "Options.Dir is in use") {
					t.Errorf("a host beside removals that go on: %s", got)
				}
				close(let)
				synctest.Wait()
				if !keep {
					r.nothingLeft()
				}
				if got := attempt(t, r.dir, sandboxtest.NewFake()); got != "made" {
					t.Error(got)
				}
			})
		})
	}
}
