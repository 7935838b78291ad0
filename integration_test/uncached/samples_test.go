package uncached_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/validation"
)

// TestSamplesRunTheSameUncached runs the ordinary workflows under the strictest
// policy. Each must come to its result by the events that it took without the
// guard, although all of its calls are looked up again with every task.
func TestSamplesRunTheSameUncached(t *testing.T) {
	t.Parallel()
	for _, s := range samples.All() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			queue := harness.Queue(t)
			runs, err := s.Run(ctx, server, samples.RunOptions{TaskQueue: queue, WorkflowID: queue, Configure: guarded})
			if err != nil {
				t.Fatal(err)
			}
			if s.Workflows == nil {
				return
			}
			recorded, err := harness.LoadRuns(filepath.Join("..", "testdata", "histories", "samples"), s.Name)
			if err != nil {
				t.Fatal(err)
			}
			if len(runs) != len(recorded) {
				t.Fatalf("%d workflow runs, want %d", len(runs), len(recorded))
			}
			for i, run := range runs {
				if failed := harness.FailedTasks(run.History); failed != nil {
					t.Errorf("run %d: failed workflow tasks: %q", i+1, failed)
				}
				now, then := harness.CountSteady(run.History, s.Racing...), harness.CountSteady(recorded[i], s.Racing...)
				if diff := cmp.Diff(then, now); diff != "" {
					t.Errorf("run %d: other events than when it was recorded (-recorded +now):\n%s", i+1, diff)
				}
			}
		})
	}
}

func guarded(c *client.Options, _ *worker.Options) error {
	policies, err := validation.ParsePolicies("policy.yaml", []byte("version: 1\ndefault: {mode: enforce, literals: enforce}\n"))
	if err != nil {
		return err
	}
	plugin, err := guard.NewPlugin(guard.Options{Policies: policies})
	c.Plugins = append(c.Plugins, plugin)
	return err
}
