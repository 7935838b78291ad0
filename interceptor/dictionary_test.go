package interceptor_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// othersName is the name that no marker may show to a job that was not given it.
const othersName = "secret-of-another-job"

// dictionary is a text of candidates, and the set in which three of them are values
// of another job's. Each of them stands in it twice.
func dictionary(tb testing.TB) (candidates []string, set *redact.Set) {
	tb.Helper()
	set = redact.NewSet()
	for _, v := range []string{"alpha-5f1d0c7a9be24c68", "beta-75f1d0c7a9be24c6", "gamma-5f1d0c7a9be24c6"} {
		if err := set.Add(othersName, v); err != nil {
			tb.Fatal(err)
		}
		candidates = append(candidates, v, strings.ToUpper(v), strings.Repeat("candidate ", 100))
	}
	return candidates, set
}

// TestDictionary: a job that prints candidates meets the same nameless marker for
// every value of others, whatever way it prints and reads them, and is counted.
func TestDictionary(t *testing.T) {
	candidates, set := dictionary(t)
	text := strings.Join(candidates, "\n")
	keys := map[string]any{}
	for _, c := range candidates {
		keys[c] = 1
	}
	activityOf := func(fn any) func(*testing.T, *testsuite.TestWorkflowEnvironment) string {
		return func(t *testing.T, env *testsuite.TestWorkflowEnvironment) string {
			t.Helper()
			var b beats
			env.SetOnActivityHeartbeatListener(b.listen)
			env.RegisterActivityWithOptions(fn, named("Print"))
			var got string
			err := run(t, env, func(ctx workflow.Context) error {
				ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute, RetryPolicy: retries(1)})
				return workflow.ExecuteActivity(ctx, "Print").Get(ctx, &got)
			})
			for _, beat := range b.raw {
				got += strings.Join(beat, " ")
			}
			return got + readOf(err)
		}
	}
	workflowOf := func(fn func(ctx workflow.Context, got *string) error) func(*testing.T, *testsuite.TestWorkflowEnvironment) string {
		return func(t *testing.T, env *testsuite.TestWorkflowEnvironment) string {
			t.Helper()
			var got string
			err := run(t, env, func(ctx workflow.Context) error { return fn(ctx, &got) })
			return got + readOf(err)
		}
	}
	updateOf := func(handler func(workflow.Context) (any, error)) func(*testing.T, *testsuite.TestWorkflowEnvironment) string {
		return func(t *testing.T, env *testsuite.TestWorkflowEnvironment) string {
			t.Helper()
			var got outcome
			env.RegisterDelayedCallback(func() { env.UpdateWorkflow("change", "id", got.callbacks()) }, time.Second)
			if err := run(t, env, func(ctx workflow.Context) error {
				return errors.Join(workflow.SetUpdateHandler(ctx, "change", handler), workflow.Sleep(ctx, time.Minute))
			}); err != nil {
				t.Fatal(err)
			}
			return readOf(got.err)
		}
	}
	for _, tc := range []struct {
		name string
		// edited is true where candidates are hidden one by one; other ways refuse.
		edited bool
		say    func(*testing.T, *testsuite.TestWorkflowEnvironment) string
	}{
		{"result of an activity", true, activityOf(func(context.Context) (string, error) { return text, nil })},
		{"error of an activity", true, activityOf(func(context.Context) error { return errors.New(text) })},
		{"heartbeat", true, activityOf(func(ctx context.Context) (string, error) {
			activity.RecordHeartbeat(ctx, text)
			return "", nil
		})},
		{"panic of an activity", true, activityOf(func(context.Context) error { panic(text) })},
		{"side effect", true, workflowOf(func(ctx workflow.Context, got *string) error {
			return workflow.SideEffect(ctx, func(workflow.Context) any { return text }).Get(got)
		})},
		{"mutable side effect", true, workflowOf(func(ctx workflow.Context, got *string) error {
			return workflow.MutableSideEffect(ctx, "id", func(workflow.Context) any { return text }, func(a, b any) bool { return a == b }).Get(got)
		})},
		{"failure of the workflow", true, workflowOf(func(workflow.Context, *string) error { return errors.New(text) })},
		{"memo", false, workflowOf(func(ctx workflow.Context, _ *string) error { return workflow.UpsertMemo(ctx, keys) })},
		{"signal", false, workflowOf(func(ctx workflow.Context, _ *string) error {
			return workflow.SignalExternalWorkflow(ctx, "w", "", "greet", keys).Get(ctx, nil)
		})},
		{"continue-as-new", false, workflowOf(func(ctx workflow.Context, _ *string) error {
			return workflow.NewContinueAsNewError(ctx, "Next", keys)
		})},
		{"result of an update", false, updateOf(func(workflow.Context) (any, error) { return keys, nil })},
		{"error of an update", true, updateOf(func(workflow.Context) (any, error) { return nil, errors.New(text) })},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, "")
			opts.Hidden = set
			suite, g, metrics := measured(t, opts)
			env := suite.NewTestWorkflowEnvironment()
			env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
			got := tc.say(t, env)
			if strings.Contains(got, othersName) || strings.Count(got, nameless) < 6 && (tc.edited || !strings.Contains(got, nameless)) {
				t.Errorf("read %q", got)
			}
			for _, c := range candidates {
				if !strings.HasPrefix(c, "candidate") && strings.Contains(got, c) {
					t.Errorf("read %q", got)
				}
			}
			if n := metrics.count("sandboxguard_foreign queue=" + testQueue); n < 6 {
				t.Errorf("%d foreign hits were counted\n%v", n, metrics.seen)
			}
		})
	}
}

// readOf is what a job reads of an error, with the trace of a panic.
func readOf(err error) string {
	if err == nil {
		return ""
	}
	var died *temporal.PanicError
	if errors.As(err, &died) {
		return err.Error() + died.StackTrace()
	}
	return err.Error()
}

// TestNetsShowNoNames: they do not know whose output they see. What a hook has hidden
// by then keeps the name that the job may see.
func TestNetsShowNoNames(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	for name, dc := range map[string]converter.DataConverter{"default": nil, "own": shouting{converter.GetDefaultDataConverter()}} {
		t.Run(name, func(t *testing.T) {
			placed := configured(t, opts, dc, nil)
			p, err := placed.DataConverter.ToPayload("a " + hidden + " and " + canary)
			if want := `"a ` + hidden + " and " + nameless + `"`; err != nil || string(p.GetData()) != want {
				t.Errorf("got %q, want %q", p.GetData(), want)
			}
			f := placed.FailureConverter.ErrorToFailure(errors.New("a " + hidden + " and " + canary))
			if want := "a " + hidden + " and " + nameless; f.GetMessage() != want {
				t.Errorf("got %q, want %q", f.GetMessage(), want)
			}
		})
	}
}
