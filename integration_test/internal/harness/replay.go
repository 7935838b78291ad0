package harness

import (
	"fmt"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// ReplayOptions says how a history is replayed. The zero value replays with
// the SDK's defaults under the execution that the history itself names.
type ReplayOptions struct {
	// Replayer holds interceptors, plugins, converters and propagators.
	Replayer worker.WorkflowReplayerOptions
	// Execution overrides the workflow and run id that workflow code sees.
	// What is empty is taken from the history's first event.
	Execution workflow.Execution
	// Logger is what the replayed workflow code logs to. Nil discards.
	Logger log.Logger
}

// Replay runs a recorded history against the registered workflow code and
// returns an error when the code would have done something else.
func Replay(h *historypb.History, o ReplayOptions, register func(worker.WorkflowRegistry)) error {
	replayer, err := worker.NewWorkflowReplayerWithOptions(o.Replayer)
	if err != nil {
		return fmt.Errorf("harness: make replayer: %w", err)
	}
	register(replayer)
	logger := o.Logger
	if logger == nil {
		logger = Discard()
	}
	execution := o.Execution
	if started := Started(h); execution.ID == "" {
		execution.ID = started.GetWorkflowId()
	}
	err = replayer.ReplayWorkflowHistoryWithOptions(logger, h, worker.ReplayWorkflowHistoryOptions{OriginalExecution: execution})
	if err != nil {
		return fmt.Errorf("harness: replay: %w", err)
	}
	return nil
}
