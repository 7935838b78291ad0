package gauntlet

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/client"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// Nudges is how many calls the update makes that Drive sends.
const Nudges = 2

// Drive runs the workflow to its end. With Plan.Wait it updates the workflow
// in its last run, and ends it.
func Drive(ctx context.Context, c client.Client, queue, id string, p Plan) (Report, error) {
	first, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: queue}, Type, p)
	if err != nil {
		return nil, fmt.Errorf("gauntlet: start: %w", err)
	}
	if p.Wait {
		if err := nudgeLast(ctx, c, id); err != nil {
			return nil, err
		}
	}
	var report Report
	if err := c.GetWorkflow(ctx, id, first.GetRunID()).Get(ctx, &report); err != nil {
		return nil, fmt.Errorf("gauntlet: run: %w", err)
	}
	return report, nil
}

// nudgeLast waits for the run in which the workflow waits, updates it and ends
// it.
func nudgeLast(ctx context.Context, c client.Client, id string) error {
	err := harness.Eventually(ctx, func() (bool, error) {
		answer, err := c.QueryWorkflow(ctx, id, "", WaitingQuery)
		if err != nil {
			// A run that has just begun has set no handler yet.
			return false, nil //nolint:nilerr // asked again until ctx ends
		}
		var waiting bool
		err = answer.Get(&waiting)
		return waiting, err
	})
	if err != nil {
		return fmt.Errorf("gauntlet: wait for the last run: %w", err)
	}
	handle, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: id, UpdateName: UpdateName, Args: []any{Nudges}, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err != nil {
		return fmt.Errorf("gauntlet: update: %w", err)
	}
	if err := handle.Get(ctx, nil); err != nil {
		return fmt.Errorf("gauntlet: update: %w", err)
	}
	if err := c.SignalWorkflow(ctx, id, "", Finish, nil); err != nil {
		return fmt.Errorf("gauntlet: finish: %w", err)
	}
	return nil
}
