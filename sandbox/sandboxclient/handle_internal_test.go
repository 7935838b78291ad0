package sandboxclient

import (
	"runtime"
	"testing"
	"weak"

	"go.temporal.io/sdk/workflow"
)

// TestHandlesForgotten: what is kept of a run of workflow code does not outlive it.
func TestHandlesForgotten(t *testing.T) {
	run := numbered(t)
	for range 1000 {
		runtime.GC()
		handles.Lock()
		_, kept := handles.of[run]
		handles.Unlock()
		if !kept {
			return
		}
	}
	t.Error("the run is remembered")
}

// numbered is a run with two handles that has ended.
//
//go:noinline
func numbered(t *testing.T) weak.Pointer[workflow.Info] {
	t.Helper()
	info := new(workflow.Info)
	if first, second := nextHandle(info), nextHandle(info); first != 1 || second != 2 {
		t.Errorf("the handles are number %d and %d", first, second)
	}
	return weak.Make(info)
}
