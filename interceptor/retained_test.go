package interceptor_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// plugged is an activity test environment of a worker with the plugin, whose client
// has a metrics handler.
func plugged(t *testing.T, opts guard.Options) (*testsuite.TestActivityEnvironment, *counters) {
	t.Helper()
	metrics := newCounters()
	r := newRig(t, opts)
	r.client.MetricsHandler = metrics
	r.configure(t)
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(discard{})
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: r.interceptors()})
	return env, metrics
}

// rotating resolves each time to another value, leased until ends says.
type rotating struct {
	n    int
	ends func() time.Time // nil if it is no lease
}

func (r *rotating) Resolve(context.Context, secrets.Request) (secrets.Resolution, error) {
	r.n++
	info := secrets.ResolutionInfo{}
	if r.ends != nil {
		info.LeaseID, info.ExpiresAt = fmt.Sprint("lease-", r.n), r.ends()
	}
	return secrets.NewResolution(r.value(r.n), info), nil
}

func (*rotating) value(n int) string { return fmt.Sprintf("%s-%d", canary, n) }

// TestRetainedValuesAreMeasured: the gauge goes up, and back to none, and values that
// are forgotten early are counted.
func TestRetainedValuesAreMeasured(t *testing.T) {
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	opts := options(t, bindReplace)
	opts.Hidden = &redact.Set{Now: func() time.Time { return now }, MaxRetained: 2}
	opts.Now, opts.Resolver = opts.Hidden.Now, &rotating{}
	env, metrics := plugged(t, opts)
	env.RegisterActivityWithOptions(func(context.Context, tagInput) error { return nil }, named("Push"))
	env.RegisterActivityWithOptions(func(context.Context) error { return nil }, named("Other"))
	attempt := func(name string, args ...any) {
		t.Helper()
		if _, err := env.ExecuteActivity(name, args...); err != nil {
			t.Fatal(err)
		}
	}
	want := func(when string, retained, dropped int64) {
		t.Helper()
		gauge, there := metrics.seen["sandboxguard_retained"]
		if got := metrics.count("sandboxguard_retained_dropped"); !there || gauge != retained || got != dropped {
			t.Errorf("%s: %d retained and %d dropped, want %d and %d", when, gauge, got, retained, dropped)
		}
	}
	attempt("Push", tagInput{})
	want("after the first", 1, 0)
	attempt("Push", tagInput{})
	want("after the second", 2, 0)
	attempt("Push", tagInput{})
	want("after the third", 2, 1)
	now = now.Add(redact.Retention + time.Second)
	attempt("Other")
	want("a day later", 0, 1)
}

// TestFailuresAreMeasured: each text that could not be searched is counted once.
func TestFailuresAreMeasured(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	opts.Audit = audit.Discard() // its goroutine would search texts, too
	env, metrics := plugged(t, opts)
	breaks(opts.Hidden)
	if _, err := attemptIn(env, func(context.Context) (string, error) { return "a result of some length", nil }); !guard.IsRefused(err) {
		t.Errorf("got %v", err)
	}
	if got, want := metrics.count("sandboxguard_redaction_failures"), opts.Hidden.Failures(); got == 0 || uint64(got) != want {
		t.Errorf("%d were counted, want %d", got, want)
	}
}

// TestLeasedValuesAreForgotten ten minutes after the end of their lease, and not
// before, however early the attempt ended that was given them.
func TestLeasedValuesAreForgotten(t *testing.T) {
	now := time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)
	const lease = 3 * time.Hour
	began := now
	opts := options(t, bindReplace)
	opts.Hidden = &redact.Set{Now: func() time.Time { return now }}
	opts.Now, opts.Resolver = opts.Hidden.Now, &rotating{ends: func() time.Time { return began.Add(lease) }}
	if _, err := attempt(t, opts, func(context.Context, tagInput) error { return nil }, tagInput{}); err != nil {
		t.Fatal(err)
	}
	leased := (&rotating{}).value(1)
	for _, step := range []struct {
		after time.Duration
		known bool
	}{
		{0, true},
		{lease, true},
		{lease + redact.LeaseRetention - time.Second, true},
		{lease + redact.LeaseRetention, false},
	} {
		now = began.Add(step.after)
		if opts.Hidden.Sweep(); opts.Hidden.ContainsString(leased) != step.known {
			t.Errorf("%v after it was given: known %v, want %v", step.after, !step.known, step.known)
		}
	}
}
