package interceptor_test

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/validation"
)

// PushTagInput was written long before the guard.
type PushTagInput struct {
	Repo  string `json:"repo"`
	Token string `json:"token"`
}

// An activity and a workflow that exist stay as they are. The policy binds the
// field: the worker fills it in, whatever history holds, and what the activity
// gives back is searched for the value.
func ExampleNew() {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(`
version: 1
secrets:
  deploy: {ref: "vault:kv/release#token", owner: release-eng, reason: push the release tag, review_by: 2099-12-31}
queues:
  `+exampleQueue+`:
    mode: enforce
    grants:
      - {secret: deploy, to: {activity: PushTag, input: /0/token}, literal: replace}
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
	env := newEnvironment(g) // on a worker: worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}}

	env.RegisterActivityWithOptions(func(_ context.Context, in PushTagInput) (string, error) {
		return "pushed to " + in.Repo + " with " + in.Token, nil
	}, activity.RegisterOptions{Name: "PushTag"})
	env.ExecuteWorkflow(func(ctx workflow.Context, in PushTagInput) (string, error) {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
		var said string
		err := workflow.ExecuteActivity(ctx, "PushTag", in).Get(ctx, &said)
		return said, err
	}, PushTagInput{Repo: "app", Token: "a token that was rotated out"})

	var said string
	if err := env.GetWorkflowResult(&said); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(said)
	// Output: pushed to app with [redacted:deploy]
}
