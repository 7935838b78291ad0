package samples

import (
	"context"
	"fmt"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// diary reads the memo that it was started with and changes it.
func diary(ctx workflow.Context) (string, error) {
	var title string
	if err := converter.GetDefaultDataConverter().FromPayload(workflow.GetInfo(ctx).Memo.GetFields()["title"], &title); err != nil {
		return "", err
	}
	return title, workflow.UpsertMemo(ctx, map[string]any{
		"title": nil, "pages": 2, "entries": map[string]any{"monday": "rain", "tuesday": []any{"sun", 21.5}},
	})
}

func memo() Sample {
	return Sample{
		Name:      "memo",
		Workflows: workflows(diary),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			options := e.options()
			options.Memo = map[string]any{"title": "spring", "manifest": "none"}
			options.StaticSummary = "a diary"
			options.StaticDetails = "with **two** pages"
			run, err := e.Client.ExecuteWorkflow(ctx, options, diary)
			if err != nil {
				return Outcome{}, err
			}
			var title string
			if err := run.Get(ctx, &title); err != nil {
				return Outcome{}, err
			}
			described, err := e.Client.DescribeWorkflowExecution(ctx, e.WorkflowID, "")
			if err != nil {
				return Outcome{}, err
			}
			left := map[string]any{}
			for name, payload := range described.GetWorkflowExecutionInfo().GetMemo().GetFields() {
				var value any
				if err := converter.GetDefaultDataConverter().FromPayload(payload, &value); err != nil {
					return Outcome{}, err
				}
				left[name] = value
			}
			return Outcome{Result: map[string]any{"title": title, "left": left}}, nil
		},
		Want: `{"left":{"entries":{"monday":"rain","tuesday":["sun",21.5]},"manifest":"none","pages":2},"title":"spring"}`,
	}
}

// stageKey and countKey are registered with the server by whoever starts it.
var (
	stageKey = temporal.NewSearchAttributeKeyKeyword("SampleStage")
	countKey = temporal.NewSearchAttributeKeyInt64("SampleCount")
)

// assembly moves through stages that can be searched for.
func assembly(ctx workflow.Context) (string, error) {
	begun, _ := workflow.GetTypedSearchAttributes(ctx).GetKeyword(stageKey)
	err := workflow.UpsertTypedSearchAttributes(ctx, stageKey.ValueSet("painted"), countKey.ValueSet(4))
	if err != nil {
		return "", err
	}
	return begun, workflow.UpsertTypedSearchAttributes(ctx, countKey.ValueUnset())
}

func searchAttributes() Sample {
	return Sample{
		Name:      "search-attributes",
		Workflows: workflows(assembly),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			options := e.options()
			options.TypedSearchAttributes = temporal.NewSearchAttributes(stageKey.ValueSet("cut"), countKey.ValueSet(1))
			run, err := e.Client.ExecuteWorkflow(ctx, options, assembly)
			if err != nil {
				return Outcome{}, err
			}
			var begun string
			if err := run.Get(ctx, &begun); err != nil {
				return Outcome{}, err
			}
			query := fmt.Sprintf("WorkflowId = '%s' AND SampleStage = 'painted'", e.WorkflowID)
			err = harness.Eventually(ctx, func() (bool, error) {
				counted, err := e.Client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: e.Namespace, Query: query})
				return counted.GetCount() == 1, err
			})
			return Outcome{Result: begun}, err
		},
		Want: `"cut"`,
	}
}
