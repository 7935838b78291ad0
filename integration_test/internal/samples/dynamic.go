package samples

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// anyWorkflow serves every workflow type that nobody registered.
func anyWorkflow(ctx workflow.Context, args converter.EncodedValues) (string, error) {
	var who string
	var options map[string]any
	if err := args.Get(&who, &options); err != nil {
		return "", err
	}
	var answer string
	err := workflow.ExecuteActivity(quick(ctx), "answer-"+workflow.GetInfo(ctx).WorkflowType.Name, who, options).Get(ctx, &answer)
	return answer, err
}

// anyActivity serves every activity type that nobody registered.
func anyActivity(ctx context.Context, args converter.EncodedValues) (string, error) {
	var who string
	var options map[string]any
	if err := args.Get(&who, &options); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s: %s in %v", activity.GetInfo(ctx).ActivityType.Name, who, options["language"]), nil
}

func registerDynamicWorkflow(r worker.WorkflowRegistry) {
	r.RegisterDynamicWorkflow(anyWorkflow, workflow.DynamicRegisterOptions{})
}

func dynamicWorkflow() Sample {
	return Sample{
		Name:      "dynamic-workflow",
		Workflows: registerDynamicWorkflow,
		Activities: func(r worker.ActivityRegistry) {
			r.RegisterActivityWithOptions(func(_ context.Context, who string, _ map[string]any) (string, error) {
				return "answered " + who, nil
			}, activity.RegisterOptions{Name: "answer-unheard-of"})
		},
		Drive: simple[string]("unheard-of", "Ada", map[string]any{"language": "sv"}),
		Want:  `"answered Ada"`,
	}
}

func dynamicActivity() Sample {
	return Sample{
		Name:      "dynamic-activity",
		Workflows: registerDynamicWorkflow,
		Activities: func(r worker.ActivityRegistry) {
			r.RegisterDynamicActivity(anyActivity, activity.DynamicRegisterOptions{})
		},
		Drive: simple[string]("greeting", "Lin", map[string]any{"language": "nb", "sandbox": map[string]any{"sand": 3}}),
		Want:  `"answer-greeting: Lin in nb"`,
	}
}
