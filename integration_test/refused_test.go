package integration_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nexus-rpc/sdk-go/nexus"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/gauntlet"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// refusedFutures makes refused calls and does with their futures all that a
// workflow can do: select over them, chain others to them, ask whether they are
// ready, get them twice.
func refusedFutures(ctx workflow.Context, text string) (map[string]bool, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: 10 * time.Second})
	hot := map[string]any{"text": text}
	child := workflow.ExecuteChildWorkflow(ctx, "Small", hot)
	return settle(ctx, map[string]workflow.Future{
		"activity":         workflow.ExecuteActivity(ctx, "Note", hot),
		"plain text":       workflow.ExecuteActivity(ctx, "Fallback", text),
		"text in a struct": workflow.ExecuteActivity(ctx, "UseTool", gauntlet.Tool{Name: text}),
		"local activity":   workflow.ExecuteLocalActivity(ctx, "Note", hot),
		"child":            child,
		"child's start":    child.GetChildWorkflowExecution(),
		"signal":           workflow.SignalExternalWorkflow(ctx, "nobody", "", "note", hot),
		"signal to child":  child.SignalChildWorkflow(ctx, "note", "plain text"),
		"an allowed child": workflow.ExecuteChildWorkflow(ctx, "Small", map[string]any{"text": "plain text"}),
	})
}

// settle waits for every future in three ways and tells which were refused.
func settle(ctx workflow.Context, futures map[string]workflow.Future) (map[string]bool, error) {
	refused := map[string]bool{}
	names := slices.Sorted(maps.Keys(futures)) //workflowcheck:ignore // sorted at once
	selector := workflow.NewSelector(ctx)
	for _, name := range names {
		chained, set := workflow.NewFuture(ctx)
		set.Chain(futures[name])
		selector.AddFuture(futures[name], func(f workflow.Future) {
			refused[name] = guard.IsRefused(f.Get(ctx, nil))
		})
		selector.AddFuture(chained, func(f workflow.Future) {
			if guard.IsRefused(f.Get(ctx, nil)) != guard.IsRefused(futures[name].Get(ctx, nil)) {
				refused["chained "+name] = false
			}
		})
	}
	for range 2 * len(names) {
		selector.Select(ctx)
	}
	for _, name := range names {
		if !futures[name].IsReady() {
			refused["unready "+name] = true
		}
	}
	// Another command, so that a refusal that is forgotten on replay shows.
	return refused, workflow.ExecuteActivity(ctx, "Fallback", "done").Get(ctx, nil)
}

// TestRefusedFuturesWorkLikeOthers takes refused futures through a Selector and
// a Chain, live and on replay.
func TestRefusedFuturesWorkLikeOthers(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	r := newRig(t, "mode: enforce\nliterals: enforce\n")
	register := func(w worker.WorkflowRegistry) {
		gauntlet.Register(w)
		w.RegisterWorkflow(refusedFutures)
	}
	r.worker(t, func(w worker.Registry) {
		register(w)
		gauntlet.RegisterActivities(w)
	})
	var refused map[string]bool
	if err := r.start(ctx, t, r.plain, refusedFutures, gauntlet.Credential).Get(ctx, &refused); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{
		"activity": true, "plain text": true, "text in a struct": true, "local activity": true, "child": true, "child's start": true, "signal": true,
		"signal to child": true, "an allowed child": false,
	}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	h := r.family(ctx, t)[0].History
	// The worker that would run them refuses as well; nothing may get that far.
	counts := harness.CountSteady(h)
	for event, want := range map[string]int{
		"ActivityTaskScheduled": 1, "StartChildWorkflowExecutionInitiated": 1, "SignalExternalWorkflowExecutionInitiated": 0,
	} {
		if counts[event] != want {
			t.Errorf("%d events of type %s, want %d", counts[event], event, want)
		}
	}
	if n := harness.Markers(h)["LocalActivity"]; n != 0 {
		t.Errorf("%d local activities left a marker, want none", n)
	}
	for name, source := range sources(t) {
		options := harness.ReplayOptions{Replayer: worker.WorkflowReplayerOptions{
			Plugins: []worker.Plugin{plugin(t, guard.Options{Policies: source})},
		}}
		if err := harness.Replay(h, options, register); err != nil {
			t.Errorf("replay, %s: %v", name, err)
		}
	}
}

// operationInput is what a Nexus operation is called with.
type operationInput struct {
	Text string         `json:"text"`
	More map[string]any `json:"more"`
}

// refusedOperations calls an operation that is refused and one that is not.
func refusedOperations(ctx workflow.Context, text string) (map[string]bool, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
	c := workflow.NewNexusClient("endpoint", "service")
	hot := c.ExecuteOperation(ctx, "echo", operationInput{Text: text}, workflow.NexusOperationOptions{})
	cold := c.ExecuteOperation(ctx, "echo", operationInput{Text: "plain text"}, workflow.NexusOperationOptions{})
	return settle(ctx, map[string]workflow.Future{
		"operation": hot, "operation's start": hot.GetNexusOperationExecution(),
		"allowed": cold, "allowed start": cold.GetNexusOperationExecution(),
	})
}

// TestRefusedNexusOperations does the same with Nexus operations, for which the
// embedded server has no way in: the SDK's test environment has.
func TestRefusedNexusOperations(t *testing.T) {
	t.Parallel()
	service := nexus.NewService("service")
	called := 0
	echo := nexus.NewSyncOperation("echo", func(_ context.Context, in operationInput, _ nexus.StartOperationOptions) (operationInput, error) {
		called++
		return in, nil
	})
	if err := service.Register(echo); err != nil {
		t.Fatal(err)
	}
	i, err := guard.New(guard.Options{Policies: policies(t, "version: 1\ndefault: {mode: enforce, literals: enforce}\n")})
	if err != nil {
		t.Fatal(err)
	}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(harness.Discard())
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{i}})
	env.RegisterNexusService(service)
	env.RegisterWorkflow(refusedOperations)
	env.RegisterActivityWithOptions(func(context.Context, string) error { return nil }, activity.RegisterOptions{Name: "Fallback"})
	env.ExecuteWorkflow(refusedOperations, gauntlet.Credential)
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	var refused map[string]bool
	if err := env.GetWorkflowResult(&refused); err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"operation": true, "operation's start": true, "allowed": false, "allowed start": false}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	if called != 1 {
		t.Errorf("the operation was called %d times, want once", called)
	}
}
