package interceptor_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"
)

// TestReportModeTellsOfWhatIsSaid: errors, heartbeats and recorded values are
// cleaned where literals are enforced. Where they are only reported nothing is
// hidden, and the report names them all the same.
func TestReportModeTellsOfWhatIsSaid(t *testing.T) {
	opts, logs := reporting(t, "")
	env := environment(t, opts)
	env.RegisterActivityWithOptions(func(ctx context.Context) error {
		activity.RecordHeartbeat(ctx, "beat "+githubToken)
		return fmt.Errorf("push: %w", errors.New("failed with "+githubToken))
	}, named("Note"))
	err := run(t, env, func(ctx workflow.Context) error {
		workflow.SideEffect(ctx, func(workflow.Context) any { return "effect " + githubToken })
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 60e9, RetryPolicy: retries(1)})
		if err := workflow.ExecuteActivity(ctx, "Note").Get(ctx, nil); err == nil {
			return nil
		}
		return errors.New("ended with " + githubToken)
	})
	if !holdsText(err, githubToken) {
		t.Errorf("report mode changed the error: %v", err)
	}
	var kinds []string
	for _, e := range logs.FilterMessage("found, would be refused under mode enforce").All() {
		kinds = append(kinds, e.ContextMap()["kind"].(string)+" "+e.ContextMap()["path"].(string))
	}
	slices.Sort(kinds)
	want := []string{"error of activity /0", "error of activity /1", "error of workflow /0", "heartbeat of activity /0", "side effect /0"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("told of (-want +got):\n%s", diff)
	}
}
