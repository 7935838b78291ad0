package interceptor_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestOutputShowsTheNamesOfItsOwnJob: a later activity of the workflow that was
// given a secret shows its name, and a value of another job shows none.
func TestOutputShowsTheNamesOfItsOwnJob(t *testing.T) {
	const foreign = "foreign-5f1d0c7a9be24c68"
	opts := options(t, bindReplace)
	opts.Hidden = knowing(t, foreign)
	suite, g, metrics := measured(t, opts)
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
	env.RegisterActivityWithOptions(func(context.Context, tagInput) error { return nil }, named("Push"))
	env.RegisterActivityWithOptions(func(context.Context) (string, error) { return "has " + canary + " and " + foreign, nil }, named("Print"))
	var got string
	if err := run(t, env, func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute, RetryPolicy: retries(1)})
		if err := workflow.ExecuteActivity(ctx, "Push", tagInput{}).Get(ctx, nil); err != nil {
			return err
		}
		return workflow.ExecuteActivity(ctx, "Print").Get(ctx, &got)
	}); err != nil {
		t.Fatal(err)
	}
	if want := "has " + hidden + " and [redacted]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := metrics.count("sandboxguard_foreign queue=" + testQueue); n != 1 {
		t.Errorf("%d foreign hits were counted, want 1\n%v", n, metrics.seen)
	}
}

// TestDictionary: a job that prints candidates meets the same nameless marker for
// every value of others, with the activity's result, error and heartbeat alike.
func TestDictionary(t *testing.T) {
	opts := options(t, "")
	set := redact.NewSet()
	var dictionary strings.Builder
	for _, v := range []string{"alpha-5f1d0c7a9be24c68", "beta-75f1d0c7a9be24c6", "gamma-5f1d0c7a9be24c6"} {
		if err := set.Add("secret-of-another-job", v); err != nil {
			t.Fatal(err)
		}
		dictionary.WriteString(v + "\n" + strings.ToUpper(v) + "\n" + strings.Repeat("candidate ", 100) + "\n")
	}
	opts.Hidden = set
	out, err := attempt(t, opts, func(context.Context) (string, error) { return dictionary.String(), nil })
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := out.Get(&got); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(got, "secret-of-another-job") || strings.Count(got, "[redacted]") != 6 || strings.Count(got, "[redacted") != 6 {
		t.Errorf("got %q", got)
	}
}

// TestValuesAreForgotten a day after the last attempt that was given them, and not
// before.
func TestValuesAreForgotten(t *testing.T) {
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	set := redact.NewSet()
	set.Now = func() time.Time { return now }
	opts := options(t, bindReplace)
	opts.Hidden, opts.Now = set, func() time.Time { return now }
	if _, err := attempt(t, opts, func(context.Context, tagInput) error { return nil }, tagInput{}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		known bool
	}{{redact.Retention - time.Second, true}, {2 * time.Second, false}} {
		now = now.Add(step.after)
		if set.Sweep(); set.ContainsString(canary) != step.known {
			t.Errorf("at %v: known %v, want %v", now, !step.known, step.known)
		}
	}
}

// TestFailingEngineWithholds: a fault of the redactor ends the attempt with a typed
// error and lets nothing of the result out.
func TestFailingEngineWithholds(t *testing.T) {
	set := knowing(t, canary)
	breaks(set)
	opts := options(t, "")
	opts.Hidden = set
	_, err := attempt(t, opts, func(context.Context) (string, error) { return "a result of some length", nil })
	if !guard.IsRefused(err) || !strings.Contains(err.Error(), guard.ErrorTypeOutputWithheld) {
		t.Errorf("got %v", err)
	}
	secretstest.AssertAbsent(t, []string{"a result of some length"}, []byte(err.Error()))
}

// breaks takes the tables out of a set, so that searching it panics.
func breaks(set *redact.Set) {
	index := reflect.ValueOf(set).Elem().FieldByName("x").Elem()
	grams := index.FieldByName("long").FieldByName("filter")
	reflect.NewAt(grams.Type(), unsafe.Pointer(grams.UnsafeAddr())).Elem().SetZero()
}
