package interceptor_test

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// Workflow code gets a refusal as an error of the call and may go another way. It
// reads rules and paths, never values.
func ExampleViolations() {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(`
version: 1
queues:
  `+exampleQueue+`: {mode: enforce}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := guard.New(guard.Options{Policies: policies, Audit: quiet, Unguarded: newerSDK})
	if err != nil {
		fmt.Println(err)
		return
	}
	env := newEnvironment(g)
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
		type input struct {
			Token secrets.Value `json:"token"`
		}
		err := workflow.ExecuteActivity(ctx, "PushTag", input{Token: secrets.Env("SOMEBODY_ELSES")}).Get(ctx, nil)
		if !guard.IsRefused(err) {
			return err
		}
		for _, v := range guard.Violations(err) {
			fmt.Println(v.Path, v.Rule)
			fmt.Println("fix:", v.Fix)
		}
		return nil
	})
	if err := env.GetWorkflowError(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// /0/token secret-not-granted
	// fix: grant it: queues.default-test-taskqueue.grants: {secret: NAME, to: {activity: PushTag, input: /0/token}}
}
