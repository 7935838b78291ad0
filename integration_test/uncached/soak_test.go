package uncached_test

import (
	"context"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/soak"
)

// TestSoak runs 200 workflows under a policy that answers at random each time
// it is asked. No workflow task may fail and every history must replay, under a
// policy that refuses all, none, and at random.
func TestSoak(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	const runs = 200
	result, err := soak.Run(ctx, server, soak.Options{Runs: runs, Parallel: 24, Refuse: 0.3})
	if err != nil {
		t.Fatal(err)
	}
	for _, failure := range result.Failures {
		t.Error(failure)
	}
	if result.FailedTasks != 0 {
		t.Errorf("%d failed workflow tasks", result.FailedTasks)
	}
	if result.Runs != runs || result.Replays < 3*runs {
		t.Errorf("%d runs and %d replays, want %d and at least %d", result.Runs, result.Replays, runs, 3*runs)
	}
	for _, channel := range []string{
		"activity", "child", "coroutine", "local activity", "memo", "run config", "search attributes", "secret", "signal",
		"signal to a child", "update",
	} {
		if result.Refusals[channel] == 0 {
			t.Errorf("no %s was refused in %d runs: the soak shows nothing of it", channel, runs)
		}
	}
}
