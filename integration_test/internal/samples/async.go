package samples

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// askHuman waits for an activity that somebody else completes, and for one
// that somebody else fails.
func askHuman(ctx workflow.Context) ([]string, error) {
	named := func(id string) workflow.Context {
		return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			ActivityID: id, StartToCloseTimeout: 30 * time.Second, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
		})
	}
	var answer map[string]any
	if err := workflow.ExecuteActivity(named("question"), question, "red or blue?").Get(ctx, &answer); err != nil {
		return nil, err
	}
	colour, _ := answer["colour"].(string)
	err := workflow.ExecuteActivity(named("follow-up"), question, "sure?").Get(ctx, nil)
	failed, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok {
		return nil, errors.New("nobody objected")
	}
	return []string{colour, failed.Message()}, nil
}

// question is answered from outside.
func question(context.Context, string) (map[string]any, error) {
	return nil, activity.ErrResultPending
}

func asyncCompletion() Sample {
	return Sample{
		Name:       "async-completion",
		Workflows:  workflows(askHuman),
		Activities: activities(question),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			run, err := e.start(ctx, askHuman)
			if err != nil {
				return Outcome{}, err
			}
			if err := awaitStarted(ctx, e.Client, e.WorkflowID); err != nil {
				return Outcome{}, err
			}
			if err := e.Client.RecordActivityHeartbeatByID(ctx, e.Namespace, e.WorkflowID, "", "question", "thinking"); err != nil {
				return Outcome{}, err
			}
			err = e.Client.CompleteActivityByID(ctx, e.Namespace, e.WorkflowID, "", "question", map[string]any{"colour": "blue"}, nil)
			if err != nil {
				return Outcome{}, err
			}
			if err := awaitStarted(ctx, e.Client, e.WorkflowID); err != nil {
				return Outcome{}, err
			}
			refusal := temporal.NewApplicationError("no longer", "Human")
			if err := e.Client.CompleteActivityByID(ctx, e.Namespace, e.WorkflowID, "", "follow-up", nil, refusal); err != nil {
				return Outcome{}, err
			}
			return outcome[[]string](ctx, run)
		},
		Want: `["blue","no longer"]`,
	}
}

// eagerStart has its first task handed over with the answer to its start, and
// its activity with the completion of that task.
func eagerStart() Sample {
	return Sample{
		Name:       "eager-start",
		Workflows:  workflows(nightly),
		Activities: activities(remind),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			options := e.options()
			options.EnableEagerStart = true
			run, err := e.Client.ExecuteWorkflow(ctx, options, nightly, map[string]any{"what": "the bell"})
			if err != nil {
				return Outcome{}, err
			}
			return outcome[string](ctx, run)
		},
		Want: `"reminded of the bell"`,
	}
}

// standaloneActivity has no workflow at all.
func standaloneActivity() Sample {
	return Sample{
		Name:       "standalone-activity",
		Activities: activities(greet),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			handle, err := e.Client.ExecuteActivity(ctx, client.StartActivityOptions{ID: e.WorkflowID, TaskQueue: e.TaskQueue, StartToCloseTimeout: 10 * time.Second, Summary: "a greeting"}, greet, map[string]any{"name": "Bo", "tags": []any{"a", 1}})
			if err != nil {
				return Outcome{}, err
			}
			var greeting string
			err = handle.Get(ctx, &greeting)
			return Outcome{Result: greeting, Roots: []workflow.Execution{}}, err
		},
		Want: `"good day, Bo"`,
	}
}
