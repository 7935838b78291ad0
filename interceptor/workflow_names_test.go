package interceptor_test

import (
	"context"
	"strings"
	"testing"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// TestNamesOfWorkflowCalls: a value in a name that the call has no error for stops
// the task; in all other names the call is refused. Nothing of it is told.
func TestNamesOfWorkflowCalls(t *testing.T) {
	one := func(workflow.Context) any { return 1 }
	never := func(_, _ any) bool { return false }
	for name, call := range map[string]func(workflow.Context) error{
		"change id":           func(ctx workflow.Context) error { workflow.GetVersion(ctx, canary, 1, 1); return nil },
		"mutable side effect": func(ctx workflow.Context) error { workflow.MutableSideEffect(ctx, canary, one, never); return nil },
		"with options": func(ctx workflow.Context) error {
			workflow.MutableSideEffectWithOptions(ctx, canary, workflow.MutableSideEffectOptions{}, one, never)
			return nil
		},
		"activity task queue": func(ctx workflow.Context) error {
			return workflow.ExecuteActivity(workflow.WithTaskQueue(ctx, canary), "Push").Get(ctx, nil)
		},
		"child task queue": func(ctx workflow.Context) error {
			return workflow.ExecuteChildWorkflow(workflow.WithWorkflowTaskQueue(ctx, canary), "Child").Get(ctx, nil)
		},
		"activity fairness": func(ctx workflow.Context) error {
			return workflow.ExecuteActivity(workflow.WithPriority(ctx, temporal.Priority{FairnessKey: canary}), "Push").Get(ctx, nil)
		},
		"child fairness": func(ctx workflow.Context) error {
			return workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{Priority: temporal.Priority{FairnessKey: canary}}), "Child").Get(ctx, nil)
		},
		"continue-as-new type": func(ctx workflow.Context) error { return workflow.NewContinueAsNewError(ctx, canary) },
		"continue-as-new task queue": func(ctx workflow.Context) error {
			return workflow.NewContinueAsNewError(workflow.WithWorkflowTaskQueue(ctx, canary), "Next")
		},
		"Nexus endpoint": func(ctx workflow.Context) error {
			return workflow.NewNexusClient(canary, "s").ExecuteOperation(ctx, "o", 1, workflow.NexusOperationOptions{}).Get(ctx, nil)
		},
		"Nexus service": func(ctx workflow.Context) error {
			return workflow.NewNexusClient("e", canary).ExecuteOperation(ctx, "o", 1, workflow.NexusOperationOptions{}).Get(ctx, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			opts := options(t, "")
			opts.Policies = policies(t, "default: {mode: report}\n")
			opts.Hidden = knowing(t, canary)
			env := environment(t, opts)
			env.RegisterActivityWithOptions(func(context.Context) error { t.Error("it ran"); return nil }, named("Push"))
			err := run(t, env, func(ctx workflow.Context) error { return call(options60(ctx)) })
			if !stopped(err) {
				wantRules(t, err, "literal-credential")
			}
			if strings.Contains(err.Error(), canary) {
				t.Error("the error quotes the value")
			}
		})
	}
}

// TestNameThatWasAllowedIsStillAllowed: a run that used a change id before its value
// was known goes on with it.
func TestNameThatWasAllowedIsStillAllowed(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, "another value of a secret")
	env := environment(t, opts)
	err := run(t, env, func(ctx workflow.Context) error {
		first := workflow.GetVersion(ctx, canary, workflow.DefaultVersion, 1)
		if err := opts.Hidden.Add("deploy", canary); err != nil {
			return err
		}
		if again := workflow.GetVersion(ctx, canary, workflow.DefaultVersion, 1); again != first {
			t.Errorf("version %d, then %d", first, again)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
