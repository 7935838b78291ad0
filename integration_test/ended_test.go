package integration_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/validation"
)

// refusedPush is an error of the users' own that quotes what it was given.
type refusedPush struct{ token string }

func (e *refusedPush) Error() string { return "push with " + e.token + " refused" }

// quoting ends with an error that holds a credential.
func quoting(workflow.Context) error { return &refusedPush{token: legacy.DeadToken} }

// compensating is an interceptor outside the guard that makes a call when a run
// ends with an error of the users' own, and none when it is another.
type compensating struct {
	interceptor.WorkerInterceptorBase
}

func (*compensating) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	i := &compensatingInbound{}
	i.Next = next
	return i
}

type compensatingInbound struct {
	interceptor.WorkflowInboundInterceptorBase
}

func (i *compensatingInbound) ExecuteWorkflow(ctx workflow.Context, in *interceptor.ExecuteWorkflowInput) (any, error) {
	result, err := i.Next.ExecuteWorkflow(ctx, in)
	var own *refusedPush
	if err == nil {
		return result, nil
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
	name := "Undo"
	if errors.As(err, &own) {
		name = "UndoPush"
	}
	return result, errors.Join(err, workflow.ExecuteActivity(ctx, name).Get(ctx, nil))
}

// TestCleanedEndsReplay: with guard.New an interceptor further out sees the error
// that a run ends with. It meets the same one on replay, under every policy.
func TestCleanedEndsReplay(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	queue := harness.Queue(t)
	c := server.Dial(t, client.Options{})
	interceptors := func(source guard.PolicySource) []interceptor.WorkerInterceptor {
		g, err := guard.New(guard.Options{Policies: source})
		if err != nil {
			t.Fatal(err)
		}
		return []interceptor.WorkerInterceptor{&compensating{}, g}
	}
	strict, err := validation.ParsePolicies("policy.yaml", []byte("version: 1\ndefault: {mode: enforce, literals: enforce}\n"))
	if err != nil {
		t.Fatal(err)
	}
	harness.Worker(t, c, queue, worker.Options{Interceptors: interceptors(strict)}, func(w worker.Registry) {
		w.RegisterWorkflow(quoting)
		for _, name := range []string{"Undo", "UndoPush"} {
			w.RegisterActivityWithOptions(func(context.Context) error { return nil }, activity.RegisterOptions{Name: name})
		}
	})
	r := &rig{queue: queue, plain: c}
	err = r.start(ctx, t, c, quoting).Get(ctx, nil)
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || strings.Contains(err.Error(), legacy.DeadToken) || !strings.Contains(err.Error(), "push with [redacted:literal] refused") {
		t.Fatalf("the run ended with %v", err)
	}
	h := r.family(ctx, t)[0].History
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			options := harness.ReplayOptions{Replayer: worker.WorkflowReplayerOptions{Interceptors: interceptors(source)}}
			if err := harness.Replay(h, options, func(w worker.WorkflowRegistry) { w.RegisterWorkflow(quoting) }); err != nil {
				t.Error(err)
			}
		})
	}
}
