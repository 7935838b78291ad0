package interceptor_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// errorList is an error that cannot be compared, as those of scanners and validators are.
type errorList []error

func (l errorList) Error() string { return "many: " + errors.Join(l...).Error() }

// TestErrorsThatCannotBeCompared end an activity, a local activity and a workflow as what they are.
func TestErrorsThatCannotBeCompared(t *testing.T) {
	for _, secret := range []string{"", canary} {
		list := errorList{errors.New("plain " + secret)}
		fails := func(context.Context) error { return list }
		_, err := attempt(t, options(t, "redact: [\"env:DEPLOY_TOKEN\"]\n"), fails)
		wantList(t, err)

		for _, local := range []bool{false, true} {
			env := environment(t, options(t, "redact: [\"env:DEPLOY_TOKEN\"]\n"))
			env.RegisterActivityWithOptions(fails, named("Fails"))
			err = run(t, env, func(ctx workflow.Context) error {
				retry := temporal.RetryPolicy{MaximumAttempts: 1}
				if local {
					ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 1 << 30, RetryPolicy: &retry})
					return workflow.ExecuteLocalActivity(ctx, fails).Get(ctx, nil)
				}
				return workflow.ExecuteActivity(workflow.WithRetryPolicy(options60(ctx), retry), "Fails").Get(ctx, nil)
			})
			wantList(t, err)
		}

		env := environment(t, options(t, ""))
		err = run(t, env, func(workflow.Context) error { return errorList{errors.New("plain")} })
		wantList(t, err)
	}
}

func wantList(t *testing.T, err error) {
	t.Helper()
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.Type() != "errorList" || !strings.Contains(app.Message(), "many: plain") || strings.Contains(app.Message(), canary) {
		t.Errorf("got %v", err)
	}
}
