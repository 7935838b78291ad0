package samples

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// nightly is started by a schedule.
func nightly(ctx workflow.Context, job map[string]any) (string, error) {
	var done string
	err := workflow.ExecuteActivity(quick(ctx), remind, fmt.Sprint(job["what"])).Get(ctx, &done)
	return done, err
}

func schedule() Sample {
	return Sample{
		Name:       "schedule",
		Workflows:  workflows(nightly),
		Activities: activities(remind),
		Drive: func(ctx context.Context, e Env) (o Outcome, err error) {
			handle, err := e.Client.ScheduleClient().Create(ctx, client.ScheduleOptions{
				ID:   e.WorkflowID + "-schedule",
				Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: 24 * time.Hour}}},
				Memo: map[string]any{"owner": "night shift"},
				Note: "not before midnight",
				Action: &client.ScheduleWorkflowAction{
					ID: e.WorkflowID, Workflow: nightly, TaskQueue: e.TaskQueue,
					Args: []any{map[string]any{"what": "the backup", "manifest": []string{"a.db", "b.db"}}},
					Memo: map[string]any{"kind": "nightly"},
				},
				Paused:             true,
				TriggerImmediately: true,
			})
			if err != nil {
				return Outcome{}, err
			}
			defer func() {
				if deleted := handle.Delete(ctx); err == nil {
					err = deleted
				}
			}()
			var started *client.ScheduleWorkflowExecution
			err = harness.Eventually(ctx, func() (bool, error) {
				described, err := handle.Describe(ctx)
				if err != nil || len(described.Info.RecentActions) == 0 {
					return false, err
				}
				started = described.Info.RecentActions[0].StartWorkflowResult
				return started != nil, nil
			})
			if err != nil {
				return Outcome{}, err
			}
			run := e.Client.GetWorkflow(ctx, started.WorkflowID, started.FirstExecutionRunID)
			o, err = outcome[string](ctx, run)
			o.Roots = []workflow.Execution{{ID: started.WorkflowID, RunID: started.FirstExecutionRunID}}
			return o, err
		},
		Want: `"reminded of the backup"`,
	}
}
