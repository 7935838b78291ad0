package interceptor_test

import (
	"context"
	"errors"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
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

// TestRefusalsAreCountedWhereverTheyHappen: at clients, before attempts, of results,
// at the end of runs and of updates, and what came in tainted.
func TestRefusalsAreCountedWhereverTheyHappen(t *testing.T) {
	refusals := func(rule string) string {
		return "sandboxguard_refusals queue=" + testQueue + " rule=" + rule + " mode=enforce"
	}
	for _, tc := range []struct {
		name, counter string
		do            func(t *testing.T, suite *testsuite.WorkflowTestSuite, list []interceptor.WorkerInterceptor)
	}{
		{"attempt", refusals("secret-not-granted"), func(_ *testing.T, suite *testsuite.WorkflowTestSuite, list []interceptor.WorkerInterceptor) {
			env := suite.NewTestActivityEnvironment()
			env.SetWorkerOptions(worker.Options{Interceptors: list})
			_, _ = attemptIn(env, func(context.Context, typedInput) error { return nil }, typedInput{Token: secrets.Env("DEPLOY_TOKEN")})
		}},
		{"result of an activity", refusals("literal-credential"), func(_ *testing.T, suite *testsuite.WorkflowTestSuite, list []interceptor.WorkerInterceptor) {
			env := suite.NewTestActivityEnvironment()
			env.SetWorkerOptions(worker.Options{Interceptors: list})
			_, _ = attemptIn(env, func(context.Context) (string, error) { return githubToken, nil })
		}},
		{"result of a run", refusals("literal-credential"), func(t *testing.T, suite *testsuite.WorkflowTestSuite, list []interceptor.WorkerInterceptor) {
			t.Helper()
			env := suite.NewTestWorkflowEnvironment()
			env.SetWorkerOptions(worker.Options{Interceptors: list})
			_ = run(t, env, func(workflow.Context) (string, error) { return githubToken, nil })
		}},
		{"start input", "sandboxguard_tainted queue=" + testQueue + " rule=literal-credential", func(t *testing.T, suite *testsuite.WorkflowTestSuite, list []interceptor.WorkerInterceptor) {
			t.Helper()
			env := suite.NewTestWorkflowEnvironment()
			env.SetWorkerOptions(worker.Options{Interceptors: list})
			_ = run(t, env, func(workflow.Context, string) error { return nil }, githubToken)
		}},
		{"signal", "sandboxguard_tainted queue=" + testQueue + " rule=literal-credential", func(t *testing.T, suite *testsuite.WorkflowTestSuite, list []interceptor.WorkerInterceptor) {
			t.Helper()
			env := suite.NewTestWorkflowEnvironment()
			env.SetWorkerOptions(worker.Options{Interceptors: list})
			env.RegisterDelayedCallback(func() { env.SignalWorkflow("greet", githubToken) }, 1)
			_ = run(t, env, func(ctx workflow.Context) error {
				workflow.GetSignalChannel(ctx, "greet").Receive(ctx, nil)
				return nil
			})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			suite, g, metrics := measured(t, options(t, ""))
			tc.do(t, suite, []interceptor.WorkerInterceptor{g})
			if got := metrics.count(tc.counter); got != 1 {
				t.Errorf("%s: %d, want 1\n%v", tc.counter, got, metrics.seen)
			}
		})
	}
	t.Run("client", func(t *testing.T) {
		metrics := newCounters()
		r := newRig(t, options(t, ""))
		r.client.MetricsHandler = metrics
		r.configure(t)
		last := r.client.Interceptors[len(r.client.Interceptors)-1].InterceptClient(&server{})
		if _, err := last.ExecuteWorkflow(t.Context(), &interceptor.ClientExecuteWorkflowInput{
			WorkflowType: "Flow", Options: &client.StartWorkflowOptions{ID: "w", TaskQueue: testQueue}, Args: []any{githubToken},
		}); !guard.IsRefused(err) {
			t.Fatalf("got %v", err)
		}
		if got := metrics.count(refusals("literal-credential")); got != 1 {
			t.Errorf("%d, want 1\n%v", got, metrics.seen)
		}
	})
}
