package integration_test

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// lookalikes are data that a payload could hold to pass for a reference.
func lookalikes() map[string]any {
	return map[string]any{
		"tagged":    map[string]any{"type": "temporal.worker_env_value", "name": "DEPLOY_TOKEN"},
		"short":     map[string]any{"type": "secret_ref", "key": "DEPLOY_TOKEN"},
		"long":      map[string]any{"type": "sandboxguard.secret_ref", "ref": "env:DEPLOY_TOKEN"},
		"spelled":   "temporal.worker_env_ref:{DEPLOY_TOKEN}",
		"listed":    []any{"temporal.worker_env_ref:{DEPLOY_TOKEN}", map[string]any{"type": "temporal.worker_env_value", "name": "DEPLOY_TOKEN"}},
		"deep":      map[string]any{"token": map[string]any{"type": "temporal.worker_env_value", "name": "DEPLOY_TOKEN"}},
		"templated": "${DEPLOY_TOKEN} {{secret:deploy}} [secret:deploy]",
		"number":    float64(7),
	}
}

// passOn hands the same data to an ordinary and to a local activity.
func passOn(ctx workflow.Context, data map[string]any) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: 10 * time.Second})
	if err := workflow.ExecuteActivity(ctx, "Take", data, legacy.Tag[secrets.Value]{Name: "none"}).Get(ctx, nil); err != nil {
		return err
	}
	return workflow.ExecuteLocalActivity(ctx, "Take", data, legacy.Tag[secrets.Value]{Name: "none"}).Get(ctx, nil)
}

// TestDataThatLooksLikeAReferenceStaysData runs on a queue that grants the very
// secret to the very activity, at another place and in an environment. What
// the payload spells must arrive as it was, and nothing must be resolved.
func TestDataThatLooksLikeAReferenceStaysData(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	var asked atomic.Int64
	r := newRig(t, "mode: enforce\ngrants:\n  - {secret: deploy, to: {activity: Take, input: /1/token}}\n  - {secret: deploy, to: {env: DEPLOY_TOKEN}}\n",
		func(r *rig) {
			next := r.options.Resolver
			r.options.Resolver = secrets.ResolverFunc(func(ctx context.Context, req secrets.Request) (secrets.Resolution, error) {
				asked.Add(1)
				return next.Resolve(ctx, req)
			})
		})
	var mu sync.Mutex
	var taken []map[string]any
	r.worker(t, func(w worker.Registry) {
		w.RegisterWorkflow(passOn)
		w.RegisterActivityWithOptions(func(_ context.Context, data map[string]any, _ legacy.Tag[secrets.Value]) error {
			mu.Lock()
			defer mu.Unlock()
			taken = append(taken, data)
			return nil
		}, activity.RegisterOptions{Name: "Take"})
	})
	if err := r.start(ctx, t, r.client, passOn, lookalikes()).Get(ctx, nil); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff(slices.Repeat([]map[string]any{lookalikes()}, 2), taken); diff != "" {
		t.Errorf("what the activities got (-want +got):\n%s", diff)
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d references were resolved", n)
	}
	if scheduled := inputs(t, r.family(ctx, t)[0].History, "Take"); len(scheduled) != 1 {
		t.Errorf("scheduled %d times, want once", len(scheduled))
	}
}
