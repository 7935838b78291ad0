package interceptor_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// TestIdentifiersWithAValueAreRefused: nothing hides a value in a name, so the
// call is refused in report mode too, and where no policy is.
func TestIdentifiersWithAValueAreRefused(t *testing.T) {
	hidden := redact.NewSet()
	if err := hidden.Add("deploy", canary); err != nil {
		t.Fatal(err)
	}
	for name, queue := range map[string]string{"report": testQueue, "unlisted": "elsewhere"} {
		t.Run(name, func(t *testing.T) {
			opts := options(t, "")
			opts.Policies = policies(t, "queues:\n  "+testQueue+": {mode: report, literals: \"off\"}\n")
			opts.Hidden = hidden
			s := &server{}
			c := clientOf(t, opts, s)
			_, err := c.ExecuteWorkflow(t.Context(), &interceptor.ClientExecuteWorkflowInput{
				WorkflowType: "Release", Options: &client.StartWorkflowOptions{ID: "release-" + canary, TaskQueue: queue},
			})
			wantRules(t, err, "literal-credential")
			_, err = c.ExecuteWorkflow(t.Context(), &interceptor.ClientExecuteWorkflowInput{
				WorkflowType: "Release", Options: &client.StartWorkflowOptions{ID: "release", TaskQueue: queue, Memo: map[string]any{canary: 1}},
			})
			wantRules(t, err, "literal-credential")
			if len(s.got) != 0 {
				t.Errorf("the server got %s", jsonOf(t, s.got))
			}
		})
	}
	t.Run("workflow", func(t *testing.T) {
		opts := options(t, "")
		opts.Policies = policies(t, "queues:\n  "+testQueue+": {mode: report}\n")
		opts.Hidden = hidden
		env := environment(t, opts)
		env.RegisterActivityWithOptions(func(context.Context) error { t.Error("it ran"); return nil }, named("Push"))
		wantRules(t, run(t, env, func(ctx workflow.Context) error {
			ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 60e9, ActivityID: canary})
			return workflow.ExecuteActivity(ctx, "Push").Get(ctx, nil)
		}), "literal-credential")
	})
	for name, send := range map[string]func(workflow.Context) workflow.Future{
		"signal": func(ctx workflow.Context) workflow.Future {
			return workflow.SignalExternalWorkflow(ctx, "release-"+canary, "", "greet", nil)
		},
		"cancel request": func(ctx workflow.Context) workflow.Future {
			return workflow.RequestCancelExternalWorkflow(ctx, "release-"+canary, "")
		},
	} {
		t.Run("target of a "+name, func(t *testing.T) {
			opts := options(t, "")
			opts.Policies = policies(t, "queues:\n  "+testQueue+": {mode: report}\n")
			opts.Hidden = hidden
			wantRules(t, run(t, environment(t, opts), func(ctx workflow.Context) error { return send(ctx).Get(ctx, nil) }), "literal-credential")
		})
	}
}

// TestPlainTargetsAreAskedToCancel: the hook changes nothing for them.
func TestPlainTargetsAreAskedToCancel(t *testing.T) {
	env := environment(t, options(t, ""))
	env.OnRequestCancelExternalWorkflow("default-test-namespace", "other", "").Return(nil)
	if err := run(t, env, func(ctx workflow.Context) error {
		return workflow.RequestCancelExternalWorkflow(ctx, "other", "").Get(ctx, nil)
	}); err != nil {
		t.Error(err)
	}
	env.AssertExpectations(t)
}
