package uncached_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/validation"
)

// waiting takes signals, and is replayed from its start with each.
func waiting(ctx workflow.Context, _ string) error {
	for _, name := range []string{"first", "second", "third"} {
		workflow.GetSignalChannel(ctx, name).Receive(ctx, nil)
	}
	return nil
}

// TestWhatCameInIsJudgedOnce: a start input and a signal with a credential leave
// one record each, however often the run is replayed, here and in a replayer.
func TestWhatCameInIsJudgedOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	policies, err := validation.ParsePolicies("policy.yaml", []byte("version: 1\ndefault: {mode: enforce, literals: enforce}\n"))
	if err != nil {
		t.Fatal(err)
	}
	var tainted atomic.Int64
	noticed := make(chan struct{}, 8)
	p, err := guard.NewPlugin(guard.Options{Policies: policies, Audit: audit.SinkFunc(func(_ context.Context, r audit.Record) error {
		if r.Action == audit.ActionTaint {
			tainted.Add(1)
			noticed <- struct{}{}
		}
		return nil
	})})
	if err != nil {
		t.Fatal(err)
	}
	queue := harness.Queue(t)
	plain := server.Dial(t, client.Options{})
	guarded := server.Dial(t, client.Options{Plugins: []client.Plugin{p}})
	register := func(w worker.WorkflowRegistry) { w.RegisterWorkflow(waiting) }
	harness.Worker(t, guarded, queue, worker.Options{}, func(w worker.Registry) { register(w) })
	run, err := plain.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: queue, TaskQueue: queue}, waiting, legacy.DeadToken)
	if err != nil {
		t.Fatal(err)
	}
	<-noticed
	for _, s := range []struct{ name, arg string }{{"first", legacy.DeadToken}, {"second", "plain"}, {"third", "plain"}} {
		if err := plain.SignalWorkflow(ctx, queue, run.GetRunID(), s.name, s.arg); err != nil {
			t.Fatal(err)
		}
		if s.name == "first" {
			<-noticed
		}
	}
	if err := run.Get(ctx, nil); err != nil {
		t.Fatal(err)
	}
	h, err := harness.Fetch(ctx, plain, queue, run.GetRunID())
	if err != nil {
		t.Fatal(err)
	}
	if err := harness.Replay(h, harness.ReplayOptions{Replayer: worker.WorkflowReplayerOptions{Plugins: []worker.Plugin{p}}}, register); err != nil {
		t.Error(err)
	}
	if got := tainted.Load(); got != 2 {
		t.Errorf("%d records, want one for the input and one for the signal", got)
	}
}
