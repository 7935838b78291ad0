package legacy

import (
	"context"
	"errors"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
)

// All returns the programs in the form that they began with, to be recorded.
func All() []samples.Sample {
	return []samples.Sample{
		{
			Name:       "release",
			Workflows:  RegisterWorkflows[string],
			Activities: func(r worker.ActivityRegistry) { RegisterActivities[string](r, &Seen{}) },
			Drive: func(ctx context.Context, e samples.Env) (samples.Outcome, error) {
				run, err := e.Client.ExecuteWorkflow(ctx, start(e), ReleaseType,
					Order[string]{Tag: "v1", Token: DeadToken, Wait: true, Mirror: true, Rounds: 1})
				if err != nil {
					return samples.Outcome{}, err
				}
				// One signal for each round.
				err = e.Client.SignalWorkflow(ctx, e.WorkflowID, run.GetRunID(), GoOn, nil)
				if err != nil {
					return samples.Outcome{}, err
				}
				if err := nextRound(ctx, e, run); err != nil {
					return samples.Outcome{}, err
				}
				var result string
				err = e.Client.GetWorkflow(ctx, e.WorkflowID, "").Get(ctx, &result)
				return samples.Outcome{Result: result}, err
			},
			Want: `"pushed v1, announced v1"`,
		},
		simple("archive", ArchiveType, `["signed","uploaded","stamped"]`),
		simple("publication", PublicationType, `"published"`),
	}
}

// nextRound waits until the first round is over and lets the second go on.
func nextRound(ctx context.Context, e samples.Env, first client.WorkflowRun) error {
	var next string
	err := first.GetWithOptions(ctx, &next, client.WorkflowRunGetOptions{DisableFollowingRuns: true})
	if err == nil {
		return errors.New("legacy: the release did not go into a second round")
	}
	return e.Client.SignalWorkflow(ctx, e.WorkflowID, "", GoOn, nil)
}

func start(e samples.Env) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{ID: e.WorkflowID, TaskQueue: e.TaskQueue}
}

// simple is a program that needs nothing but its token.
func simple(name, workflowType, want string) samples.Sample {
	return samples.Sample{
		Name:       name,
		Workflows:  RegisterArchive,
		Activities: func(r worker.ActivityRegistry) { RegisterArchiveActivities(r, &Seen{}) },
		Drive: func(ctx context.Context, e samples.Env) (samples.Outcome, error) {
			run, err := e.Client.ExecuteWorkflow(ctx, start(e), workflowType, DeadToken)
			if err != nil {
				return samples.Outcome{}, err
			}
			var result any
			err = run.Get(ctx, &result)
			return samples.Outcome{Result: result}, err
		},
		Want: want,
	}
}
