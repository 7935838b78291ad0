package sandboxhost_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// attempt makes a host on the directory and backend, tells whether it could, and gives it up at once.
func attempt(t *testing.T, dir string, b backend.Backend) string {
	t.Helper()
	host, err := sandboxhost.New("other", b, sandboxhost.Options{Dir: dir})
	switch {
	case err == nil:
		host.Close()
		host.Close()
		return "made"
	case strings.Contains(err.Error(), dir):
		t.Errorf("the error tells too much: %v", err)
	}
	return err.Error()
}

// TestAlone refuses a second host on a directory and a second provider on a backend, which would remove what the first
// one makes, as long as the first one runs.
func TestAlone(t *testing.T) {
	r := newRig(t)
	r.create(sandbox.Manifest{})
	elsewhere := filepath.Join(t.TempDir(), "own")
	refused := func() {
		t.Helper()
		if got := attempt(t, r.dir, sandboxtest.NewFake()); !strings.Contains(got, "Options.Dir is in use") || !strings.Contains(got, "directory of its own") {
			t.Errorf("on the directory: %s", got)
		}
		if got := attempt(t, elsewhere, r.faults); !strings.Contains(got, "one backend for each provider") {
			t.Errorf("on the backend: %s", got)
		}
	}
	refused()
	r.host.Close() // it runs: Run does that
	refused()
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"directory": attempt(t, r.dir, sandboxtest.NewFake()), "backend": attempt(t, elsewhere, r.faults)} {
		if got != "made" {
			t.Errorf("on the %s, after the first host: %s", name, got)
		}
	}
}

// TestClose gives a host up that never ran. It does not run later, either.
func TestClose(t *testing.T) {
	r := newRig(t)
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	first := r.newHost(r.fake)
	if got := attempt(t, r.dir, r.fake); got == "made" {
		t.Error("a second host was made beside one that did not run yet")
	}
	first.Close()
	if got := attempt(t, r.dir, r.fake); got != "made" {
		t.Error(got)
	}
	if err := first.Serve(cancelled(t), r.server); err == nil {
		t.Error("a host that was closed ran")
	}
}

// uncomparable is a backend that Go cannot compare.
type uncomparable struct {
	backend.Backend
	_ []int
}

// TestUncomparable takes backends that nobody can tell apart.
func TestUncomparable(t *testing.T) {
	if got := attempt(t, filepath.Join(t.TempDir(), "a"), uncomparable{sandboxtest.NewFake(), nil}); got != "made" {
		t.Error(got)
	}
}

// TestLateOperation keeps the directory as long as something goes on that Run did not wait for.
func TestLateOperation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		state := r.create(sandbox.Manifest{})
		gate := r.faults.Hold(sandboxtest.Running)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = call[any](r, owner, operation.Running, operation.StateArgs{State: state}) // whatever it ends with
		}()
		<-gate.Reached()
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		if got := attempt(t, r.dir, sandboxtest.NewFake()); got == "made" {
			t.Error("a second host was made while an operation went on")
		}
		gate.Open()
		<-ended
		if got := attempt(t, r.dir, sandboxtest.NewFake()); got != "made" {
			t.Error(got)
		}
	})
}
