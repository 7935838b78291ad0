package integration_test

import (
	"fmt"
	"testing"

	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// TestRunsEndedForTheirInputReplay ends a run because its start input holds a
// credential, and then replays it with every policy, with and without the
// option that ended it.
func TestRunsEndedForTheirInputReplay(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	r := newRig(t, "mode: enforce\nliterals: enforce\n", func(r *rig) { r.options.FailTainted = true })
	seen := &legacy.Seen{}
	r.worker(t, registerRelease(seen))
	err := r.start(ctx, t, r.plain, legacy.ReleaseType, legacy.Order[string]{Tag: "v1", Token: legacy.DeadToken}).Get(ctx, nil)
	if !guard.IsRefused(err) {
		t.Errorf("the run ended with %v, want a refusal", err)
	}
	if len(seen.Tokens("PushTag")) != 0 {
		t.Error("the run made calls before it ended")
	}
	h := r.family(ctx, t)[0].History
	for name, source := range sources(t) {
		for _, failTainted := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, FailTainted %v", name, failTainted), func(t *testing.T) {
				options := harness.ReplayOptions{Replayer: worker.WorkflowReplayerOptions{
					Plugins: []worker.Plugin{plugin(t, guard.Options{Policies: source, FailTainted: failTainted})},
				}}
				if err := harness.Replay(h, options, legacy.RegisterWorkflows[string]); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
