package sandboxhost_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestHungBackend floods a host whose backend hangs with each operation that ends nothing. Fewer of them than the worker
// of the host takes stay, and the rest learns that nothing was done. What ends something goes through.
func TestHungBackend(t *testing.T) {
	const most, flood = 30, 40 // the worker takes 33
	small := func(o *sandboxhost.Options) { o.MaxConcurrent, o.ReservedSlots = 3, 1 }
	for _, name := range operation.Names() {
		if name.CleanUp() {
			continue
		}
		t.Run(string(name), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t, small)
				state := r.create(sandbox.Manifest{})
				r.restart(small) // so that all need the backend
				gates := []*sandboxtest.Gate{r.faults.Hold(sandboxtest.Create), r.faults.Hold(sandboxtest.Open)}
				argument := map[string]any{"state": state, "command": []string{"true"}, "path": "f", "data": "", "session_id": 1, "chars": "x"}
				if name == operation.Create {
					argument = map[string]any{}
				}
				data, err := json.Marshal(argument)
				if err != nil {
					t.Fatal(err)
				}
				ended := make(chan error, flood)
				for range flood {
					go func() {
						_, err := call[any](r, owner, name, json.RawMessage(data))
						ended <- err
					}()
				}
				synctest.Wait()
				if present := flood - len(ended); present > most {
					t.Errorf("%d operations are present, want %d at most", present, most)
				}
				for range len(ended) {
					if err := <-ended; final(err) || !operation.IsUnbegun(err) {
						t.Errorf("one too many: %v", err)
					}
				}
				for _, end := range []operation.Name{operation.Stop, operation.Shut, operation.Delete} {
					if _, err := call[any](r, owner, end, operation.StopArgs{State: state}); err != nil {
						t.Errorf("%s: %v", end, err)
					}
				}
				for _, g := range gates {
					g.Open()
				}
				if err := r.stop(); err != nil {
					t.Error(err)
				}
				synctest.Wait() // the others end, whatever with
				r.nothingLeft()
			})
		})
	}
}
