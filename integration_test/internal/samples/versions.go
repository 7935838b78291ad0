package samples

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/workflow"
)

// evolved has been changed three times, once inside a loop.
func evolved(ctx workflow.Context, names []string) ([]string, error) {
	ctx = quick(ctx)
	var greetings []string
	if workflow.GetVersion(ctx, "greet-by-activity", workflow.DefaultVersion, 2) < 1 {
		return nil, fmt.Errorf("version is older than any run")
	}
	for i, name := range names {
		var greeting string
		var err error
		if workflow.GetVersion(ctx, fmt.Sprintf("politeness-%d", i%2), workflow.DefaultVersion, 1) == workflow.DefaultVersion {
			err = workflow.ExecuteActivity(ctx, remind, name).Get(ctx, &greeting)
		} else {
			err = workflow.ExecuteActivity(ctx, greet, map[string]any{"name": name, "polite": true}).Get(ctx, &greeting)
		}
		if err != nil {
			return nil, err
		}
		greetings = append(greetings, greeting)
	}
	// A patch of which only the marker is left.
	workflow.GetVersion(ctx, "retired", 3, 3)
	return greetings, nil
}

func greet(_ context.Context, person map[string]any) (string, error) {
	return fmt.Sprintf("good day, %v", person["name"]), nil
}

func versioning() Sample {
	return Sample{
		Name:       "versioning",
		Workflows:  workflows(evolved),
		Activities: activities(greet, remind),
		Drive:      simple[[]string](evolved, []string{"Ada", "Lin", "Bo"}),
		Want:       `["good day, Ada","good day, Lin","good day, Bo"]`,
	}
}
