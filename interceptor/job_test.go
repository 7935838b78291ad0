package interceptor_test

import (
	"context"
	"errors"
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
// given a secret shows its name, and so does the workflow itself; a value of another
// job shows none.
func TestOutputShowsTheNamesOfItsOwnJob(t *testing.T) {
	const foreign = "foreign-5f1d0c7a9be24c68"
	opts := options(t, bindReplace)
	opts.Hidden = knowing(t, foreign)
	suite, g, metrics := measured(t, opts)
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
	env.RegisterActivityWithOptions(func(context.Context, tagInput) error { return nil }, named("Push"))
	env.RegisterActivityWithOptions(func(context.Context) (string, error) { return "has " + canary + " and " + foreign, nil }, named("Print"))
	var printed, recorded string
	failed := run(t, env, func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute, RetryPolicy: retries(1)})
		if err := workflow.ExecuteActivity(ctx, "Push", tagInput{}).Get(ctx, nil); err != nil {
			return err
		}
		if err := workflow.ExecuteActivity(ctx, "Print").Get(ctx, &printed); err != nil {
			return err
		}
		said := "has " + canary + " and " + foreign
		if err := workflow.SideEffect(ctx, func(workflow.Context) any { return said }).Get(&recorded); err != nil {
			return err
		}
		return errors.New(said)
	})
	want := "has " + hidden + " and " + nameless
	if printed != want || recorded != want {
		t.Errorf("an activity printed %q and a side effect recorded %q, want %q", printed, recorded, want)
	}
	if failed == nil || !strings.Contains(failed.Error(), want) {
		t.Errorf("the workflow failed with %v, want %q", failed, want)
	}
	if n := metrics.count("sandboxguard_foreign queue=" + testQueue); n < 3 {
		t.Errorf("%d foreign hits were counted, want those of three texts\n%v", n, metrics.seen)
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
