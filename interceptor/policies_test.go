package interceptor_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// reloading is a policy source that a file's watcher would be.
type reloading struct {
	current atomic.Pointer[validation.Policies]
}

func (r *reloading) PolicyFor(q guard.Queue) (validation.Policy, bool) {
	return r.current.Load().PolicyFor(q)
}

// TestPolicyGauge: one series of a queue is 1, that of the policy that governs it
// now; a reload moves it when the new policy is first used.
func TestPolicyGauge(t *testing.T) {
	before, after := queuePolicy(t, ""), queuePolicy(t, "literals: report\n")
	source := &reloading{}
	source.current.Store(before)
	core, logs := observer.New(zap.InfoLevel)
	metrics := newCounters()
	opts := options(t, "")
	opts.Policies, opts.Logger = source, zap.New(core)
	r := newRig(t, opts)
	r.client.MetricsHandler, r.client.Namespace = metrics, "default-test-namespace"
	r.configure(t)
	if _, err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	series := func(p *validation.Policies) string {
		policy, _ := p.PolicyFor(guard.Queue{Name: testQueue})
		return "sandboxguard_policy queue=" + testQueue + " mode=enforce policy=" + policy.Digest()
	}
	if metrics.count(series(before)) != 1 {
		t.Fatalf("after the start: %v", metrics.seen)
	}
	source.current.Store(after)
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(discard{})
	for range 2 {
		used := suite.NewTestActivityEnvironment()
		used.SetWorkerOptions(worker.Options{Interceptors: r.interceptors()})
		if _, err := attemptIn(used, func(context.Context) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if metrics.count(series(before)) != 0 || metrics.count(series(after)) != 1 {
		t.Errorf("after the reload: %v", metrics.seen)
	}
	if n := logs.FilterMessage("policy changed").Len(); n != 1 {
		t.Errorf("logged %d times", n)
	}
}

// TestDueReviewsAreLoggedAtTheStart: whoever runs the worker learns of them
// without a call of their own.
func TestDueReviewsAreLoggedAtTheStart(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	opts := options(t, "")
	opts.Logger = zap.New(core)
	r := newRig(t, opts)
	r.configure(t)
	if _, err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range logs.FilterMessage("policy").All() {
		got = append(got, e.ContextMap()["rule"].(string)+" "+e.ContextMap()["path"].(string))
	}
	if diff := cmp.Diff([]string{"secret-review-overdue /secrets/stale/review_by"}, got); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// panicking is a policy source with a fault.
type panicking struct{}

func (panicking) PolicyFor(guard.Queue) (validation.Policy, bool) { panic("a fault of the source") }

// TestPanickingSourceDenies: what cannot be read refuses what a policy would be
// asked about, literals too; plain calls run, also with FailTainted.
func TestPanickingSourceDenies(t *testing.T) {
	core, logs := observer.New(zap.ErrorLevel)
	opts := options(t, "")
	opts.Policies, opts.TaskQueue, opts.FailTainted, opts.Logger = panicking{}, "", true, zap.New(core)
	env := environment(t, opts)
	env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Push"))
	if err := run(t, env, func(ctx workflow.Context) error {
		wantRules(t, workflow.ExecuteActivity(options60(ctx), "Push", typedInput{Token: secrets.Env("DEPLOY_TOKEN")}).Get(ctx, nil), "workflow-unlisted", "secret-not-granted")
		wantRules(t, workflow.ExecuteActivity(options60(ctx), "Push", githubToken).Get(ctx, nil), "literal-credential")
		return workflow.ExecuteActivity(options60(ctx), "Push", "plain").Get(ctx, nil)
	}); err != nil {
		t.Error(err)
	}
	if logs.Len() != 1 {
		t.Errorf("logged %d times", logs.Len())
	}
}

// TestPluginJudgesActivitiesByItsBaseQueue: a session's or a host's queue is
// another one than that of the worker, whose policy governs.
func TestPluginJudgesActivitiesByItsBaseQueue(t *testing.T) {
	opts := options(t, "")
	opts.TaskQueue = ""
	opts.Policies = policies(t, "queues:\n  base:\n    mode: enforce\n    "+bindReplace)
	p, err := guard.NewPlugin(opts)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{plugin: p}
	r.client.Logger = discard{}
	r.configureOn(t, "base")
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(discard{})
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: r.interceptors()})
	var got string
	if _, err := attemptIn(env, func(_ context.Context, in tagInput) error { got = in.Token; return nil }, tagInput{}); err != nil {
		t.Fatal(err)
	}
	if got != canary {
		t.Errorf("the activity got %q", got)
	}
}
