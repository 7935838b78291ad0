package samples

import (
	"context"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// watch runs an endless activity until the workflow is cancelled, waits for it
// to stop, and cleans up.
func watch(ctx workflow.Context, target map[string]any) error {
	endless := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, HeartbeatTimeout: 30 * time.Second, WaitForCancellation: true,
	})
	err := workflow.ExecuteActivity(endless, observe, target).Get(ctx, nil)
	cleanup, _ := workflow.NewDisconnectedContext(ctx)
	if err := workflow.ExecuteActivity(quick(cleanup), remind, "the lights").Get(cleanup, nil); err != nil {
		return err
	}
	return err
}

// observe reports that it is alive until it is told to stop.
func observe(ctx context.Context, _ map[string]any) error {
	alive := time.NewTicker(20 * time.Millisecond)
	defer alive.Stop()
	for seen := 0; ; seen++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-alive.C:
			activity.RecordHeartbeat(ctx, map[string]any{"seen": seen})
		}
	}
}

// awaitStarted waits until a worker has begun the workflow's only pending
// activity. The start of an activity is no event until the activity ends.
func awaitStarted(ctx context.Context, c client.Client, workflowID string) error {
	return harness.Eventually(ctx, func() (bool, error) {
		described, err := c.DescribeWorkflowExecution(ctx, workflowID, "")
		if err != nil {
			return false, err
		}
		for _, a := range described.GetPendingActivities() {
			if a.GetState() == enumspb.PENDING_ACTIVITY_STATE_STARTED {
				return true, nil
			}
		}
		return false, nil
	})
}

func cancellation() Sample {
	return Sample{
		Name:       "cancellation",
		Workflows:  workflows(watch),
		Activities: activities(observe, remind),
		// An activity learns of its end by the answer to a heartbeat. The SDK holds those back for most of the
		// timeout, which would be too near to it on a busy machine or too long to wait for.
		Worker: worker.Options{MaxHeartbeatThrottleInterval: 50 * time.Millisecond},
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			run, err := e.start(ctx, watch, map[string]any{"region": "north", "depth": 3})
			if err != nil {
				return Outcome{}, err
			}
			if err := awaitStarted(ctx, e.Client, e.WorkflowID); err != nil {
				return Outcome{}, err
			}
			if err := e.Client.CancelWorkflow(ctx, e.WorkflowID, ""); err != nil {
				return Outcome{}, err
			}
			err = run.Get(ctx, nil)
			return Outcome{Result: map[string]bool{"cancelled": temporal.IsCanceledError(err)}}, nil
		},
		Want: `{"cancelled":true}`,
	}
}
