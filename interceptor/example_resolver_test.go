package interceptor_test

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// A resolver turns references into values. It is told for which attempt, and asked
// for nothing that policy does not grant.
func ExampleOptions_resolver() {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(`
version: 1
secrets:
  deploy: {ref: "cloud:release/token", owner: release-eng, reason: push the release tag, review_by: 2099-12-31}
queues:
  `+exampleQueue+`:
    mode: enforce
    grants: [{secret: deploy, to: {activity: PushTag, input: /0/token}}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	cloud := secrets.ResolverFunc(func(_ context.Context, req secrets.Request) (secrets.Resolution, error) {
		fmt.Println("asked for", req.Ref, "by", req.Scope.ActivityType, "on", req.Scope.TaskQueue)
		return secrets.NewResolution("current-token-5f1d0c7a", secrets.ResolutionInfo{Version: "4"}), nil
	})
	g, err := guard.New(guard.Options{
		Policies: policies, Resolver: secrets.Providers{"cloud": cloud}, Audit: quiet, Unguarded: newerSDK,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	env := newEnvironment(g)

	type input struct {
		Token secrets.Value `json:"token"`
	}
	token := secrets.From(secrets.Ref{Provider: "cloud", Name: "release/token"})
	env.RegisterActivityWithOptions(func(_ context.Context, in input) error {
		value, err := in.Token.Reveal()
		fmt.Println("the activity has", len(value), "bytes of", in.Token)
		return err
	}, activity.RegisterOptions{Name: "PushTag"})
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
		err := workflow.ExecuteActivity(ctx, "PushTag", input{Token: token}).Get(ctx, nil)
		fmt.Println("the workflow has a value:", token.Resolved())
		return err
	})
	if err := env.GetWorkflowError(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// asked for cloud:release/token by PushTag on default-test-taskqueue
	// the activity has 22 bytes of secrets.Value(cloud:release/token, resolved)
	// the workflow has a value: false
}
