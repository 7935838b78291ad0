package samples

import (
	"context"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// resettable counts its steps. Its driver resets it to its beginning.
func resettable(ctx workflow.Context, options map[string]any) (int, error) {
	steps := 0
	for range 2 {
		var n int
		if err := workflow.ExecuteActivity(quick(ctx), sum, chunk{Bytes: []byte{1}}).Get(ctx, &n); err != nil {
			return 0, err
		}
		steps += n
	}
	_ = options
	return steps, nil
}

func reset() Sample {
	return Sample{
		Name:       "reset",
		Workflows:  workflows(resettable),
		Activities: activities(sum),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			run, err := e.start(ctx, resettable, map[string]any{"mode": "slow"})
			if err != nil {
				return Outcome{}, err
			}
			if err := run.Get(ctx, nil); err != nil {
				return Outcome{}, err
			}
			return e.resetTo(ctx, run)
		},
		Want: `2`,
	}
}

// resetTo resets a closed run to its second workflow task and waits for the
// run that takes over.
func (e Env) resetTo(ctx context.Context, run client.WorkflowRun) (Outcome, error) {
	point, err := secondTask(ctx, e, run)
	if err != nil {
		return Outcome{}, err
	}
	answer, err := e.Client.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
		Namespace:                 e.Namespace,
		WorkflowExecution:         &commonpb.WorkflowExecution{WorkflowId: run.GetID(), RunId: run.GetRunID()},
		Reason:                    "once more",
		WorkflowTaskFinishEventId: point,
		RequestId:                 harness.ID("reset"),
	})
	if err != nil {
		return Outcome{}, err
	}
	again := e.Client.GetWorkflow(ctx, run.GetID(), answer.GetRunId())
	o, err := outcome[int](ctx, again)
	o.Roots = []workflow.Execution{{ID: run.GetID(), RunID: run.GetRunID()}, {ID: run.GetID(), RunID: answer.GetRunId()}}
	return o, err
}

// secondTask finds where the second workflow task of a run completed.
func secondTask(ctx context.Context, e Env, run client.WorkflowRun) (int64, error) {
	seen := 0
	event, err := harness.AwaitEvent(ctx, e.Client, run.GetID(), run.GetRunID(), func(h *historypb.HistoryEvent) bool {
		if h.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			seen++
		}
		return seen == 2
	})
	return event.GetEventId(), err
}
