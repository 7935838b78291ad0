package interceptor_test

import (
	"testing"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// TestTagsOfWorkflowsAreClean is the same for workflow code as for activities.
func TestTagsOfWorkflowsAreClean(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	suite, g, metrics := measured(t, opts)
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
	if err := run(t, env, func(ctx workflow.Context) error {
		workflow.GetMetricsHandler(ctx).WithTags(map[string]string{"net": "with " + canary}).Counter("found").Inc(1)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if metrics.count("found net=with "+hidden) != 1 {
		t.Errorf("counted %v", metrics.seen)
	}
}
