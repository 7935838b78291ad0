package integration_test

import (
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestAssertHistoryCleanFollowsContinuations: of a workflow that is named without a
// run, the runs that its latest one continues are read too.
func TestAssertHistoryCleanFollowsContinuations(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	c := server.Dial(t, client.Options{})
	queue, value := harness.Queue(t), secretstest.Canary(t)
	harness.Worker(t, c, queue, worker.Options{}, func(r worker.Registry) {
		r.RegisterWorkflowWithOptions(func(ctx workflow.Context, text string) error {
			if text == "" {
				return nil
			}
			return workflow.NewContinueAsNewError(ctx, "Forgets", "")
		}, workflow.RegisterOptions{Name: "Forgets"})
	})
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: queue, TaskQueue: queue}, "Forgets", value)
	if err != nil {
		t.Fatal(err)
	}
	first := run.GetRunID()
	if err := run.Get(ctx, nil); err != nil {
		t.Fatal(err)
	}
	latest, err := c.DescribeWorkflowExecution(ctx, queue, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		run  string
		told int
	}{
		"the whole chain": {"", 1},
		"the first run":   {first, 1},
		"the last run":    {latest.GetWorkflowExecutionInfo().GetExecution().GetRunId(), 0},
	} {
		w := &witness{TB: t, rows: []string{"argument"}, told: map[string]bool{}}
		interceptortest.AssertHistoryClean(w, c, interceptortest.Options{Workflows: []workflow.Execution{{ID: queue, RunID: test.run}}}, value)
		if len(w.told) != test.told {
			t.Errorf("%s: told %d times, want %d", name, len(w.told), test.told)
		}
	}
}
