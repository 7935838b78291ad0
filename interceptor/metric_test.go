package interceptor_test

import (
	"context"
	"errors"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

func measured(t *testing.T, opts guard.Options) (*testsuite.WorkflowTestSuite, interceptor.WorkerInterceptor, *counters) {
	t.Helper()
	metrics := newCounters()
	suite := &testsuite.WorkflowTestSuite{}
	suite.SetLogger(discard{})
	suite.SetMetricsHandler(metrics)
	return suite, newGuard(t, opts), metrics
}

// TestMetrics: refusals by queue, rule and mode, resolves, redactions by channel.
func TestMetrics(t *testing.T) {
	suite, g, metrics := measured(t, options(t, bindReplace))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
	env.RegisterActivityWithOptions(func(ctx context.Context, in tagInput) (string, error) {
		activity.RecordHeartbeat(ctx, in.Token)
		if in.Repo == "fails" {
			return "", errors.New(in.Token)
		}
		return in.Token, nil
	}, named("Push"))
	if err := run(t, env, func(ctx workflow.Context) error {
		_ = workflow.UpsertMemo(ctx, map[string]any{"k": githubToken})
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 60e9, RetryPolicy: retries(1)})
		_ = workflow.ExecuteActivity(ctx, "Push", tagInput{Repo: "fails"}).Get(ctx, nil)
		return workflow.ExecuteActivity(ctx, "Push", tagInput{}).Get(ctx, nil)
	}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]int64{
		"sandboxguard_refusals queue=" + testQueue + " rule=literal-credential mode=enforce": 1,
		"sandboxguard_resolves queue=" + testQueue:                                           2,
		"sandboxguard_redactions channel=result":                                             1,
		"sandboxguard_redactions channel=error":                                              1,
		"sandboxguard_redactions channel=heartbeat":                                          2,
	} {
		if got := metrics.count(name); got != want {
			t.Errorf("%s: %d, want %d\n%v", name, got, want, metrics.seen)
		}
	}
}

// TestReportedFindingsAreCountedEachTime: they are logged once and counted always.
func TestReportedFindingsAreCountedEachTime(t *testing.T) {
	opts, _ := reporting(t, "")
	suite, g, metrics := measured(t, opts)
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
	if err := run(t, env, func(ctx workflow.Context) error {
		for range 3 {
			if err := workflow.UpsertMemo(ctx, map[string]any{"k": githubToken}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	name := "sandboxguard_refusals queue=" + testQueue + " rule=literal-credential mode=report"
	if got := metrics.count(name); got != 3 {
		t.Errorf("%d, want 3\n%v", got, metrics.seen)
	}
}

// TestTagsOfActivitiesAreClean: metrics leave the process like logs.
func TestTagsOfActivitiesAreClean(t *testing.T) {
	suite, g, metrics := measured(t, options(t, bindReplace))
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
	if _, err := attemptIn(env, func(ctx context.Context, in tagInput) error {
		h := activity.GetMetricsHandler(ctx)
		h.WithTags(map[string]string{in.Token: "x"}).Counter("keyed").Inc(1)
		h.WithTags(map[string]string{"queue": in.Token}).WithTags(map[string]string{"rule": "x " + in.Token}).Counter("mine").Inc(1)
		return nil
	}, tagInput{}); err != nil {
		t.Fatal(err)
	}
	if got := metrics.count("keyed " + hidden + "=x"); got != 1 {
		t.Errorf("counted %v", metrics.seen)
	}
	if got := metrics.count("mine queue=" + hidden + " rule=x " + hidden); got != 1 {
		t.Errorf("counted %v", metrics.seen)
	}
}
