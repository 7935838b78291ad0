package interceptor_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// An activity that has no field for its secret asks for it. The grant has no input
// then, and an error that quotes the secret is recorded without it.
func Example_get() {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(`
version: 1
secrets:
  deploy: {ref: "env:DEPLOY_TOKEN", owner: release-eng, reason: push the release tag, review_by: 2099-12-31}
queues:
  `+exampleQueue+`:
    mode: enforce
    grants: [{secret: deploy, to: {activity: PushTag}}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := guard.New(guard.Options{Policies: policies, Resolver: vault(), Audit: quiet, Unguarded: newerSDK})
	if err != nil {
		fmt.Println(err)
		return
	}
	env := newEnvironment(g)
	env.RegisterActivityWithOptions(func(ctx context.Context) error {
		token, err := secrets.Get(ctx, secrets.EnvRef("DEPLOY_TOKEN"))
		if err != nil {
			return err
		}
		text, err := token.Reveal()
		if err != nil {
			return err
		}
		return errors.New("server answered 403 to token " + text)
	}, activity.RegisterOptions{Name: "PushTag"})
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
		})
		return workflow.ExecuteActivity(ctx, "PushTag").Get(ctx, nil)
	})
	var app *temporal.ApplicationError
	if errors.As(env.GetWorkflowError(), &app) {
		fmt.Println(app.Message())
	}
	// Output: server answered 403 to token [redacted:deploy]
}
