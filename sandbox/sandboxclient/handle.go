package sandboxclient

import (
	"runtime"
	"sync"
	"weak"

	"go.temporal.io/sdk/workflow"
)

// handles counts the sandboxes of each run of workflow code in this process that had to be told apart. Temporal has no
// place for what a workflow has one of, and a package for workflow code cannot ask for one at its start. A replay has
// an info of its own, so that it counts anew, and in the same order.
var handles = struct {
	sync.Mutex
	of map[weak.Pointer[workflow.Info]]int
}{of: map[weak.Pointer[workflow.Info]]int{}}

// nextHandle returns a number that no other handle of the same run has, which has one info.
//
//workflowcheck:ignore the count depends on the order of calls in one run alone
func nextHandle(info *workflow.Info) int {
	run := weak.Make(info)
	handles.Lock()
	defer handles.Unlock()
	if handles.of[run]++; handles.of[run] == 1 {
		runtime.AddCleanup(info, forgetHandles, run)
	}
	return handles.of[run]
}

func forgetHandles(run weak.Pointer[workflow.Info]) {
	handles.Lock()
	defer handles.Unlock()
	delete(handles.of, run)
}
