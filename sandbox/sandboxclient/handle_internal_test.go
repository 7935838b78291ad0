package sandboxclient

import (
	"runtime"
	"testing"
	"weak"

	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"
)

// TestHandlesForgotten: what is kept of a run does not outlive it.
func TestHandlesForgotten(t *testing.T) {
	var run weak.Pointer[workflow.Info]
	func() {
		env := new(testsuite.WorkflowTestSuite).NewTestWorkflowEnvironment()
		env.ExecuteWorkflow(func(ctx workflow.Context) error {
			run = weak.Make(workflow.GetInfo(ctx))
			nextHandle(ctx)
			if n := nextHandle(ctx); n != 2 {
				t.Errorf("the second handle is number %d", n)
			}
			return nil
		})
	}()
	kept := func() bool {
		handles.Lock()
		defer handles.Unlock()
		_, kept := handles.of[run]
		return kept
	}
	for kept() { // until the test times out, if it is remembered
		runtime.GC()
	}
}
