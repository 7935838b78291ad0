package integration_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/gauntlet"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// chores has a call refused, a plain activity, one with a secret, and a clean-up
// in the end, whatever became of the others.
func chores(ctx workflow.Context, text string) (report map[string]string, err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 20 * time.Second,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Millisecond, MaximumAttempts: 3},
	})
	report = map[string]string{}
	end := func(name string, err error) {
		report[name] = "done"
		var failed *temporal.ApplicationError
		if errors.As(err, &failed) {
			report[name] = failed.Type()
		}
	}
	end("refused", workflow.ExecuteActivity(ctx, "Plain", map[string]any{"text": text}).Get(ctx, nil))
	end("plain", workflow.ExecuteActivity(ctx, "Plain", map[string]any{"text": "plain text"}).Get(ctx, nil))
	tag := legacy.Tag[secrets.Value]{Name: "v4", Token: secrets.Env("DEPLOY_TOKEN")}
	end("granted", workflow.ExecuteActivity(ctx, "PushTag", tag).Get(ctx, nil))
	end("clean-up", workflow.ExecuteActivity(ctx, "CleanUp").Get(ctx, nil))
	return report, nil
}

// registerChores registers the activities of chores. CleanUp prints what
// PushTag was given before, and asks for nothing.
func registerChores(seen *legacy.Seen, printed func() string) func(worker.Registry) {
	return func(w worker.Registry) {
		w.RegisterWorkflow(chores)
		w.RegisterActivityWithOptions(func(context.Context, map[string]any) error { return nil }, activity.RegisterOptions{Name: "Plain"})
		w.RegisterActivityWithOptions(func(_ context.Context, tag legacy.Tag[secrets.Value]) error {
			text, err := tag.Token.Reveal()
			seen.Add("PushTag", text)
			return err
		}, activity.RegisterOptions{Name: "PushTag"})
		w.RegisterActivityWithOptions(func(context.Context) (string, error) {
			seen.Add("CleanUp", "")
			return printed(), nil
		}, activity.RegisterOptions{Name: "CleanUp"})
	}
}

// TestAuditSinks runs chores with sinks that are slow, full, failing and
// panicking. Workflows always end; what grants a secret is refused, and tried
// again, while its record cannot be written; everything else goes on.
func TestAuditSinks(t *testing.T) {
	t.Parallel()
	const strict = "mode: enforce\nliterals: enforce\ngrants: [{secret: deploy, to: {activity: PushTag, input: /0/token}}]\n"
	granting := func(r audit.Record) bool {
		return slices.Contains([]audit.Action{audit.ActionAllow, audit.ActionResolve, audit.ActionInject}, r.Action)
	}
	tests := []struct {
		name    string
		sink    func(attempts *atomic.Int64, released <-chan struct{}) audit.SinkFunc
		granted string
		ran     int
	}{
		{
			name: "slow", granted: "done", ran: 1,
			sink: func(*atomic.Int64, <-chan struct{}) audit.SinkFunc {
				return func(ctx context.Context, _ audit.Record) error {
					return pause(ctx, 50*time.Millisecond)
				}
			},
		},
		{
			name: "stuck on everything but grants", granted: "done", ran: 1,
			sink: func(_ *atomic.Int64, released <-chan struct{}) audit.SinkFunc {
				return func(_ context.Context, r audit.Record) error {
					if !granting(r) {
						<-released
					}
					return nil
				}
			},
		},
		{
			name: "full", granted: guard.ErrorTypeAuditUnavailable,
			sink: func(attempts *atomic.Int64, _ <-chan struct{}) audit.SinkFunc {
				return func(_ context.Context, r audit.Record) error {
					if granting(r) {
						attempts.Add(1)
					}
					return syscall.ENOSPC
				}
			},
		},
		{
			name: "full, then emptied", granted: "done", ran: 1,
			sink: func(attempts *atomic.Int64, _ <-chan struct{}) audit.SinkFunc {
				return func(_ context.Context, r audit.Record) error {
					if granting(r) && attempts.Add(1) < 3 {
						return syscall.ENOSPC
					}
					return nil
				}
			},
		},
		{
			name: "panicking", granted: guard.ErrorTypeAuditUnavailable,
			sink: func(attempts *atomic.Int64, _ <-chan struct{}) audit.SinkFunc {
				return func(_ context.Context, r audit.Record) error {
					if granting(r) {
						attempts.Add(1)
					}
					panic("sink of a stranger")
				}
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx := limited(t)
			var attempts atomic.Int64
			released := make(chan struct{})
			t.Cleanup(func() { close(released) })
			r := newRig(t, strict, func(r *rig) { r.options.Audit = test.sink(&attempts, released) })
			seen := &legacy.Seen{}
			r.worker(t, registerChores(seen, func() string { return "swept" }))
			var report map[string]string
			if err := r.start(ctx, t, r.plain, chores, gauntlet.Credential).Get(ctx, &report); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{
				"refused": guard.ErrorTypePolicyViolation, "plain": "done", "granted": test.granted, "clean-up": "done",
			}
			if diff := cmp.Diff(want, report); diff != "" {
				t.Errorf("how the calls ended (-want +got):\n%s", diff)
			}
			if got := seen.Tokens("PushTag"); !slices.Equal(got, slices.Repeat([]string{r.secret}, test.ran)) {
				t.Errorf("the granted activity ran %d times, want %d", len(got), test.ran)
			}
			if test.granted == guard.ErrorTypeAuditUnavailable && attempts.Load() != 3 {
				t.Errorf("%d attempts to record the grant, want 3: the refusal must be retryable", attempts.Load())
			}
			if len(seen.Tokens("CleanUp")) != 1 {
				t.Error("the clean-up did not run")
			}
			r.absent(ctx, t, r.secret)
		})
	}
}

// TestRedactionNeedsNoAudit breaks the sink after a secret was handed out. What
// later activities print of it must be hidden all the same.
func TestRedactionNeedsNoAudit(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	var broken atomic.Bool
	r := newRig(t, "mode: enforce\ngrants: [{secret: deploy, to: {activity: PushTag, input: /0/token}}]\n", func(r *rig) {
		r.options.Audit = audit.SinkFunc(func(_ context.Context, record audit.Record) error {
			if broken.Load() {
				return syscall.EIO
			}
			// The next record is the one of what is handed out now.
			broken.Store(record.Action == audit.ActionInject)
			return nil
		})
	})
	seen := &legacy.Seen{}
	r.worker(t, registerChores(seen, func() string { return "swept up " + r.secret }))
	var report map[string]string
	if err := r.start(ctx, t, r.plain, chores, "plain text").Get(ctx, &report); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"refused": "done", "plain": "done", "granted": "done", "clean-up": "done"}
	if diff := cmp.Diff(want, report); diff != "" {
		t.Errorf("how the calls ended (-want +got):\n%s", diff)
	}
	if !broken.Load() {
		t.Error("the sink was never broken: the test shows nothing")
	}
	r.absent(ctx, t, r.secret)
}

// pause waits without holding on to anybody who has given up.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
