package main

import (
	"context"
	"errors"

	"go.temporal.io/sdk/activity"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
	"github.com/sandboxguard/sandboxguard/validation"
)

// attempts is the guard around activity attempts, and nothing else of the SDK:
// what is measured is looking the policy up, judging the arguments, resolving,
// recording, injecting, and searching what comes back.
type attempts struct {
	ctx    context.Context // of a real activity
	worker sdkinterceptor.WorkerInterceptor
}

// body is an activity: it gets the arguments and returns a result.
type body func(args []any) (any, error)

// run makes one attempt.
func (a attempts) run(args []any, activity body) (any, error) {
	i := a.worker.InterceptActivity(a.ctx, &innermost{body: activity})
	if err := i.Init(&outbound{}); err != nil {
		return nil, err
	}
	return i.ExecuteActivity(a.ctx, &sdkinterceptor.ExecuteActivityInput{Args: args})
}

// innermost stands where the SDK calls the activity.
type innermost struct {
	sdkinterceptor.ActivityInboundInterceptorBase
	body body
}

func (i *innermost) Init(sdkinterceptor.ActivityOutboundInterceptor) error { return nil }

func (i *innermost) ExecuteActivity(_ context.Context, in *sdkinterceptor.ExecuteActivityInput) (any, error) {
	return i.body(in.Args)
}

// outbound answers as the SDK does.
type outbound struct {
	sdkinterceptor.ActivityOutboundInterceptorBase
}

func (*outbound) GetInfo(ctx context.Context) activity.Info { return activity.GetInfo(ctx) }

// inActivity calls f with a guard, in the context of an activity that runs in the
// SDK's test environment.
func inActivity(policy string, hidden *redact.Set, values map[string]string, f func(attempts) error) error {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(policy))
	if err != nil {
		return err
	}
	w, err := guard.New(guard.Options{
		Policies: policies, Hidden: hidden, AllowInside: []string{"*main.innermost"},
		Resolver: secretstest.Static(values),
		Audit:    audit.SinkFunc(func(context.Context, audit.Record) error { return nil }),
	})
	if err != nil {
		return err
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	var failed error
	env.RegisterActivityWithOptions(func(ctx context.Context) error {
		failed = f(attempts{ctx, w})
		return nil
	}, activity.RegisterOptions{Name: "StartJob"})
	_, err = env.ExecuteActivity("StartJob")
	return errors.Join(err, failed)
}
