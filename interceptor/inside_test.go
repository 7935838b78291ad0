package interceptor_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

func newGuard(tb testing.TB, opts guard.Options) interceptor.WorkerInterceptor {
	tb.Helper()
	g, err := guard.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// TestInterceptorInside: what stands between the guard and the activity would see
// the secrets, so an attempt that needs one is refused; all others run.
func TestInterceptorInside(t *testing.T) {
	for _, tc := range []struct {
		name, entry string
		allow       []string
		run         any
		in          any
		refused     bool
		sees        bool
	}{
		{name: "bound secret", entry: bindReplace, run: func(context.Context, tagInput) error { return nil }, in: tagInput{}, refused: true},
		{name: "typed secret", entry: grantTyped, run: func(context.Context, typedInput) error { return nil }, in: typedInput{Token: secrets.Env("DEPLOY_TOKEN")}, refused: true},
		{name: "asked for", entry: grantAsked, run: func(ctx context.Context, _ typedInput) error {
			_, err := secrets.Get(ctx, secrets.EnvRef("DEPLOY_TOKEN"))
			return err
		}, in: typedInput{}, refused: true},
		{name: "no secret", entry: "", run: func(context.Context, tagInput) error { return nil }, in: tagInput{}},
		{name: "no secret named", entry: grantTyped, run: func(context.Context, typedInput) error { return nil }, in: typedInput{}},
		{name: "allowed", entry: bindReplace, allow: []string{"*interceptor_test.spyActivity"}, run: func(context.Context, tagInput) error { return nil }, in: tagInput{}, sees: true},
		{name: "another is allowed", entry: bindReplace, allow: []string{"*interceptor_test.spy"}, run: func(context.Context, tagInput) error { return nil }, in: tagInput{}, refused: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, tc.entry)
			opts.AllowInside = tc.allow
			inside := &spy{}
			_, err := attemptIn(attemptsOf(newGuard(t, opts), inside), tc.run, tc.in)
			if !tc.refused {
				if err != nil {
					t.Fatal(err)
				}
				if seen := holds(inside.calls("activity in")[0].args, canary); seen != tc.sees {
					t.Errorf("the interceptor inside sees the value: %v", seen)
				}
				return
			}
			var app *temporal.ApplicationError
			if !errors.As(err, &app) || app.Type() != guard.ErrorTypeInterceptorInside || !app.NonRetryable() || !guard.IsRefused(err) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(app.Message(), "*interceptor_test.spyActivity") {
				t.Errorf("it is not named: %v", app.Message())
			}
			for _, c := range inside.calls("activity in") {
				if holds(c.args, canary) {
					t.Error("it saw the value")
				}
			}
		})
	}
}

// TestInterceptorsOutsideSeeNoValue: neither on the way in nor on the way out.
func TestInterceptorsOutsideSeeNoValue(t *testing.T) {
	outer := &spy{}
	env := attempts(t, options(t, bindReplace), outer)
	if _, err := attemptIn(env, func(_ context.Context, in tagInput) (string, error) { return in.Token, nil }, tagInput{}); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"activity in", "activity out"} {
		if c := outer.calls(method); len(c) != 1 || holds(c[0].args[:1], canary) {
			t.Errorf("%s: %v", method, c)
		}
	}
}

// TestTwoCopies: the guard may stand on the client and on the worker. One copy
// works: one record, one injection, one marker.
func TestTwoCopies(t *testing.T) {
	for _, tc := range []struct {
		name string
		list func(a, b interceptor.WorkerInterceptor, between *spy) []interceptor.WorkerInterceptor
	}{
		{"the same twice", func(a, _ interceptor.WorkerInterceptor, _ *spy) []interceptor.WorkerInterceptor {
			return []interceptor.WorkerInterceptor{a, a}
		}},
		{"two", func(a, b interceptor.WorkerInterceptor, _ *spy) []interceptor.WorkerInterceptor {
			return []interceptor.WorkerInterceptor{a, b}
		}},
		{"one that keeps answers between", func(a, b interceptor.WorkerInterceptor, _ *spy) []interceptor.WorkerInterceptor {
			return []interceptor.WorkerInterceptor{a, &keeping{}, b}
		}},
		{"foreign between", func(a, b interceptor.WorkerInterceptor, between *spy) []interceptor.WorkerInterceptor {
			return []interceptor.WorkerInterceptor{a, between, b}
		}},
		{"three", func(a, b interceptor.WorkerInterceptor, between *spy) []interceptor.WorkerInterceptor {
			return []interceptor.WorkerInterceptor{a, between, b, a}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, bindReplace)
			sink := opts.Audit.(*memorySink)
			r := counting(t)
			opts.Resolver = r
			between := &spy{}
			var suite testsuite.WorkflowTestSuite
			suite.SetLogger(discard{})
			env := suite.NewTestWorkflowEnvironment()
			env.SetWorkerOptions(worker.Options{Interceptors: tc.list(newGuard(t, opts), newGuard(t, opts), between)})
			runs := 0
			env.RegisterActivityWithOptions(func(_ context.Context, in tagInput) error {
				runs++
				if in.Token != canary {
					t.Errorf("the activity got %q", in.Token)
				}
				return nil
			}, named("Push"))
			if err := run(t, env, func(ctx workflow.Context) error {
				if err := workflow.ExecuteActivity(options60(ctx), "Note", githubToken).Get(ctx, nil); !guard.IsRefused(err) {
					t.Errorf("got %v", err)
				}
				return pushWorkflow(tagInput{})(ctx)
			}); err != nil {
				t.Fatal(err)
			}
			sink.await(t, 4)
			want := map[audit.Action]int{audit.ActionDeny: 1, audit.ActionResolve: 1, audit.ActionInject: 1}
			for action, n := range want {
				if got := sink.actions()[action]; got != n {
					t.Errorf("%d records of %s, want %d", got, action, n)
				}
			}
			if runs != 1 || len(r.asked) != 1 {
				t.Errorf("ran %d times, asked %d times", runs, len(r.asked))
			}
			for _, c := range between.calls("activity in") {
				if holds(c.args, canary) {
					t.Error("the interceptor between them saw the value")
				}
			}
		})
	}
}

// TestSecondCopyStandsDown: a call is judged once, and only one copy counts.
func TestSecondCopyStandsDown(t *testing.T) {
	opts := options(t, "literals: report\n")
	suite, first, metrics := measured(t, opts)
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{first, &spy{}, newGuard(t, opts)}})
	if err := run(t, env, func(ctx workflow.Context) error {
		return workflow.UpsertMemo(ctx, map[string]any{"k": githubToken})
	}); err != nil {
		t.Fatal(err)
	}
	if n := metrics.count("sandboxguard_refusals queue=" + testQueue + " rule=literal-credential mode=report"); n != 1 {
		t.Errorf("judged %d times", n)
	}
}

// keeping answers GetInfo by itself, with what it was told when it was made.
type keeping struct {
	interceptor.WorkerInterceptorBase
}

func (*keeping) InterceptWorkflow(ctx workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	i := &keepingInbound{info: workflow.GetInfo(ctx)}
	i.Next = next
	return i
}

type keepingInbound struct {
	interceptor.WorkflowInboundInterceptorBase
	info *workflow.Info
}

func (i *keepingInbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	o := &keepingOutbound{info: i.info}
	o.Next = next
	return i.Next.Init(o)
}

type keepingOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	info *workflow.Info
}

func (o *keepingOutbound) GetInfo(workflow.Context) *workflow.Info { return o.info }
