package samples

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

type progressQuery struct {
	Unit string `json:"unit"`
}

// progress answers a query while it waits, and after it has ended.
func progress(ctx workflow.Context, total int) error {
	done := 0
	err := workflow.SetQueryHandlerWithOptions(ctx, "progress", func(q progressQuery) (map[string]any, error) {
		if q.Unit != "items" {
			return nil, fmt.Errorf("unit %q is not known", q.Unit)
		}
		return map[string]any{"done": done, "total": total, "unit": q.Unit}, nil
	}, workflow.QueryHandlerOptions{Description: "how far the work is"})
	if err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, "waiting for items")
	for done < total {
		workflow.GetSignalChannel(ctx, "item").Receive(ctx, nil)
		done++
	}
	return nil
}

func queries() Sample {
	ask := func(ctx context.Context, e Env, unit string) (any, error) {
		value, err := e.Client.QueryWorkflow(ctx, e.WorkflowID, "", "progress", progressQuery{Unit: unit})
		if err != nil {
			return nil, err
		}
		var answer map[string]any
		err = value.Get(&answer)
		return answer, err
	}
	return Sample{
		Name:      "queries",
		Workflows: workflows(progress),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			run, err := e.start(ctx, progress, 2)
			if err != nil {
				return Outcome{}, err
			}
			_, err = harness.AwaitEvent(ctx, e.Client, e.WorkflowID, "", harness.OfType(enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED))
			if err != nil {
				return Outcome{}, err
			}
			before, err := ask(ctx, e, "items")
			if err != nil {
				return Outcome{}, err
			}
			_, unknown := ask(ctx, e, "miles")
			if err := errors.Join(e.signal(ctx, "item", "a"), e.signal(ctx, "item", "b"), run.Get(ctx, nil)); err != nil {
				return Outcome{}, err
			}
			after, err := ask(ctx, e, "items")
			return Outcome{Result: map[string]any{"before": before, "after": after, "unknown_unit_refused": unknown != nil}}, err
		},
		Want: `{"after":{"done":2,"total":2,"unit":"items"},"before":{"done":0,"total":2,"unit":"items"},"unknown_unit_refused":true}`,
	}
}
