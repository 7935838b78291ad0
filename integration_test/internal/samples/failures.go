package samples

import (
	"context"
	"errors"
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// failureReport is what a client learns from a failed workflow.
type failureReport struct {
	Chain   []string `json:"chain"`
	Type    string   `json:"type"`
	Details any      `json:"details"`
}

// reportFailure reads a failure the way a program would, without the ids that
// the outermost error holds.
func reportFailure(err error) (Outcome, error) {
	failed, ok := errors.AsType[*temporal.ApplicationError](err)
	if !ok {
		return Outcome{}, fmt.Errorf("workflow did not fail as it should: %w", err)
	}
	report := failureReport{Type: failed.Type()}
	if failed.HasDetails() {
		if err := failed.Details(&report.Details); err != nil {
			return Outcome{}, err
		}
	}
	for cause := error(failed); cause != nil; cause = errors.Unwrap(cause) {
		if a, ok := cause.(*temporal.ApplicationError); ok { //nolint:errorlint // each level of the chain by itself
			report.Chain = append(report.Chain, a.Message())
		}
	}
	return Outcome{Result: report}, nil
}

// doomed fails because its activity did.
func doomed(ctx workflow.Context) error {
	err := workflow.ExecuteActivity(quick(ctx), collapse, map[string]any{"bridge": "old"}).Get(ctx, nil)
	return temporal.NewApplicationErrorWithOptions("crossing failed", "Crossing", temporal.ApplicationErrorOptions{
		Cause: err, NonRetryable: true, Details: []any{map[string]any{"lane": 2, "open": false}},
	})
}

func collapse(_ context.Context, where map[string]any) error {
	cause := fmt.Errorf("bolt of %v is gone", where["bridge"])
	return temporal.NewNonRetryableApplicationError("bridge collapsed", "Bridge", cause, where)
}

func failedWorkflow() Sample {
	return Sample{
		Name:       "failed-workflow",
		Workflows:  workflows(doomed),
		Activities: activities(collapse),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			run, err := e.start(ctx, doomed)
			if err != nil {
				return Outcome{}, err
			}
			return reportFailure(run.Get(ctx, nil))
		},
		Want: `{"chain":["crossing failed","bridge collapsed","bolt of old is gone"],"type":"Crossing","details":{"lane":2,"open":false}}`,
	}
}

// fragile outlives the panic of an activity.
func fragile(ctx workflow.Context) (string, error) {
	err := workflow.ExecuteActivity(quick(ctx), explode).Get(ctx, nil)
	if panicked, ok := errors.AsType[*temporal.PanicError](err); ok {
		return "went on after: " + panicked.Error(), nil
	}
	return "", err
}

func explode(context.Context) error { panic("pressure too high") }

func activityPanic() Sample {
	return Sample{
		Name:       "activity-panic",
		Workflows:  workflows(fragile),
		Activities: activities(explode),
		Drive:      simple[string](fragile),
		Want:       `"went on after: pressure too high"`,
	}
}

// brittle fails by a panic of its own.
func brittle(ctx workflow.Context, load map[string]any) error {
	if err := workflow.ExecuteActivity(quick(ctx), remind, "the limit").Get(ctx, nil); err != nil {
		return err
	}
	panic(fmt.Sprintf("load of %v is too much", load["tons"]))
}

func workflowPanic() Sample {
	return Sample{
		Name:       "workflow-panic",
		Workflows:  workflows(brittle),
		Activities: activities(remind),
		Worker:     worker.Options{WorkflowPanicPolicy: worker.FailWorkflow},
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			run, err := e.start(ctx, brittle, map[string]any{"tons": 3})
			if err != nil {
				return Outcome{}, err
			}
			panicked, ok := errors.AsType[*temporal.PanicError](run.Get(ctx, nil))
			if !ok {
				return Outcome{}, errors.New("workflow did not panic")
			}
			return Outcome{Result: panicked.Error()}, nil
		},
		Want:         `"load of 3 is too much"`,
		Unreplayable: "the replayer knows no panic policy and reports the workflow's own panic",
	}
}
