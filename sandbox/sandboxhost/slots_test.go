package sandboxhost_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestSlots runs as many commands as there are slots, has others wait, and stops the session meanwhile.
func TestSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const running, waiting = 2, 24
		r := newRig(t, func(o *sandboxhost.Options) { o.MaxConcurrent, o.ReservedSlots = 3, 1 })
		state := r.create(sandbox.Manifest{})
		ended := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		begin := func(n int, w who) {
			for range n {
				go func() {
					_, err := r.exec(w, state, "wait")
					ended <- err
				}()
			}
			synctest.Wait()
		}
		commands := func(want int) {
			t.Helper()
			if _, n := r.fake.Left(); n != want {
				t.Errorf("%d commands run, want %d", n, want)
			}
		}
		begin(running, owner)
		w := owner
		w.gone = ctx.Done()
		begin(waiting, w)
		commands(running)
		if _, err := r.exec(owner, state, "wait"); errorType(err) != "ExecTransportError" || final(err) {
			t.Errorf("one too many: %v", err)
		}
		if _, err := call[operation.DataResult](r, owner, operation.Persist, operation.StateArgs{State: state}); err != nil {
			t.Errorf("persist: %v", err)
		}
		cancel() // those that wait
		for range waiting {
			if err := <-ended; err == nil {
				t.Error("a command that waited succeeded")
			}
		}
		begin(1, owner)
		if _, err := call[any](r, owner, operation.Stop, operation.StopArgs{State: state}); err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for range running + 1 {
			got[errorType(<-ended)]++
		}
		if diff := cmp.Diff(map[string]int{"": running, "exec_transport_error": 1}, got); diff != "" { // the turn of one came, and the sandbox was stopped
			t.Error(diff)
		}
		if _, err := call[any](r, owner, operation.Delete, operation.StopArgs{State: state}); err != nil {
			t.Error(err)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
		r.nothingLeft()
	})
}

// TestTransfers bounds what moves files, in a number of its own, and holds up neither commands nor what ends something.
func TestTransfers(t *testing.T) {
	const running, waiting = 2, 24
	for name, want := range map[operation.Name]string{
		operation.Start: "WorkspaceStartError", operation.Read: "WorkspaceArchiveReadError", operation.Persist: "WorkspaceArchiveReadError",
		operation.Write: "WorkspaceArchiveWriteError", operation.Hydrate: "WorkspaceArchiveWriteError",
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(o *sandboxhost.Options) { o.MaxConcurrent, o.ReservedSlots = 3, 1 })
			state := r.create(sandbox.Manifest{})
			gate := r.faults.Hold(map[operation.Name]sandboxtest.Point{
				operation.Start: sandboxtest.Start, operation.Read: sandboxtest.Read, operation.Persist: sandboxtest.Persist,
				operation.Write: sandboxtest.Write, operation.Hydrate: sandboxtest.Hydrate,
			}[name])
			args := json.RawMessage(strings.Replace(operations[name], "%", asJSON(t, state), 1))
			ended := make(chan error)
			for range running + waiting {
				go func() {
					_, err := call[any](r, owner, name, args)
					ended <- err
				}()
			}
			synctest.Wait()
			if _, err := call[any](r, owner, name, args); errorType(err) != want || final(err) {
				t.Errorf("%s, one too many: %v", name, err)
			}
			if _, err := r.exec(owner, state, "true"); err != nil {
				t.Errorf("exec beside %s: %v", name, err)
			}
			for _, end := range []operation.Name{operation.Stop, operation.Shut, operation.Delete} {
				if _, err := call[any](r, owner, end, operation.StopArgs{State: state}); err != nil {
					t.Errorf("%s beside %s: %v", end, name, err)
				}
			}
			gate.Open()
			for range running + waiting {
				if err := <-ended; name == operation.Read && err == nil {
					t.Error("a file that is not there was read")
				}
			}
			if err := r.stop(); err != nil {
				t.Error(err)
			}
			r.nothingLeft()
		})
	}
}
