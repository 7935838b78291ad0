package main

import (
	"context"
	"errors"

	"go.temporal.io/sdk/activity"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.uber.org/zap"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/internal/mint"
	"github.com/sandboxguard/sandboxguard/internal/sdkmethods"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
	"github.com/sandboxguard/sandboxguard/validation"
)

// attempts is the guard around activity attempts, and nothing else of the SDK:
// looking the policy up, judging the arguments, resolving, recording, injecting, and
// searching what comes back.
type attempts struct {
	ctx    context.Context // of a real activity
	worker sdkinterceptor.WorkerInterceptor
	// parts resolves, injects and searches a result, and does nothing else.
	parts func(args []any, result any) ([]any, any, error)
}

// body is an activity: it gets the arguments and returns a result.
type body func(args []any) (any, error)

// run makes one attempt.
func (a attempts) run(args []any, activity body) (any, error) {
	i, err := a.inbound(activity)
	if err != nil {
		return nil, err
	}
	return i.ExecuteActivity(a.ctx, &sdkinterceptor.ExecuteActivityInput{Args: args})
}

func (a attempts) inbound(activity body) (sdkinterceptor.ActivityInboundInterceptor, error) {
	i := a.worker.InterceptActivity(a.ctx, &innermost{body: activity})
	return i, i.Init(&outbound{})
}

// parted is what the guard has for the gate.
type parted interface {
	Parts(k mint.Key, ctx context.Context) func(args []any, result any) ([]any, any, error)
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

// A setting is what a guard is made with.
type setting struct {
	policy string
	hidden *redact.Set
	values map[string]string // what the resolver knows
	sink   audit.Sink
}

// willing takes every record, on the goroutine of a sink that may be anybody's.
var willing = audit.SinkFunc(func(context.Context, audit.Record) error { return nil })

// guarded makes the guard that has the setting.
func (s setting) guarded() (sdkinterceptor.WorkerInterceptor, error) {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(s.policy))
	if err != nil {
		return nil, err
	}
	return guard.New(guard.Options{
		Unguarded: sdkmethods.Unknown(nil), // nothing that is measured goes through what another SDK adds
		Policies:  policies, Hidden: s.hidden, AllowInside: []string{"*main.innermost"},
		Resolver: secretstest.Static(s.values), Audit: s.sink, Logger: zap.NewNop(),
	})
}

// inActivity calls f with a guard, in the context of an activity that runs in the
// SDK's test environment.
func (s setting) inActivity(f func(attempts) error) error {
	w, err := s.guarded()
	if err != nil {
		return err
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	var failed error
	env.RegisterActivityWithOptions(func(ctx context.Context) error {
		a := attempts{ctx: ctx, worker: w}
		i, err := a.inbound(nil)
		if err == nil {
			a.parts = i.(parted).Parts(mint.Guard(), ctx)
			err = f(a)
		}
		failed = err
		return nil
	}, activity.RegisterOptions{Name: "StartJob"})
	_, err = env.ExecuteActivity("StartJob")
	return errors.Join(err, failed)
}
