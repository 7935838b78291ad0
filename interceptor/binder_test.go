package interceptor_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	binding "github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

const (
	bindsToken = "grants: [{secret: deploy, to: {env: API_TOKEN}}]\n"
	session    = "5b8f7c1e-2222-4333-8444-555555555555"
)

// sessionOf is the state of a session whose manifest names secrets.
func sessionOf(env map[string]sandbox.EnvValue) sandbox.SessionState {
	return sandbox.SessionState{
		Type: sandbox.ClientUnixLocal, SessionID: session,
		Snapshot: sandbox.Snapshot{Type: sandbox.SnapshotNoop, ID: session},
		Manifest: sandbox.Manifest{Environment: sandbox.Environment{Values: env}},
	}
}

func deployToken() map[string]sandbox.EnvValue {
	return map[string]sandbox.EnvValue{"API_TOKEN": sandbox.EnvSecret(secrets.Env("DEPLOY_TOKEN"))}
}

// TestBinderGivesValuesAtFirstNeed: the arguments of an operation hold references only, and the host asks for the
// values one by one, under the rules of injections.
func TestBinderGivesValuesAtFirstNeed(t *testing.T) {
	opts := options(t, bindsToken)
	r := counting(t)
	opts.Resolver = r
	var given binding.Given
	got, err := attempt(t, opts, func(ctx context.Context, in operation.ExecArgs) (string, error) {
		if v := in.State.Manifest.Environment.Values["API_TOKEN"].Secret; v.Resolved() || len(r.asked) > 0 {
			t.Error("the value was put in before anybody needed it")
		}
		bound, err := binding.From(ctx).Env(ctx, in.State.SessionID, "API_TOKEN", secrets.EnvRef("DEPLOY_TOKEN"))
		if err != nil {
			return "", err
		}
		given = bound.Given
		text, err := bound.Value.Reveal()
		return "with " + text, err
	}, operation.ExecArgs{State: sessionOf(deployToken()), Command: []string{"true"}})
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if err := got.Get(&text); err != nil || text != "with "+hidden {
		t.Errorf("result %q, %v", text, err)
	}
	if want := (binding.Given{Ref: secrets.EnvRef("DEPLOY_TOKEN"), Secret: "deploy", Variable: "API_TOKEN"}); given != want {
		t.Errorf("given %+v, want %+v", given, want)
	}
	if len(r.asked) != 1 || r.asked[0].Scope.SessionID != session || r.asked[0].Scope.Destination != "env:API_TOKEN" {
		t.Errorf("asked %+v", r.asked)
	}
	sink := opts.Audit.(*memorySink)
	for _, action := range []audit.Action{audit.ActionResolve, audit.ActionInject} {
		if records := sink.only(action); len(records) != 1 || records[0].Destination != "env:API_TOKEN" {
			t.Errorf("%s records %+v", action, records)
		}
	}
}

// TestRefusedOperationNotBegun: a command whose arguments are refused on the host's worker tells that it did not run,
// and is refused like any other call.
func TestRefusedOperationNotBegun(t *testing.T) {
	_, err := attempt(t, options(t, ""), func(context.Context, operation.ExecArgs) error {
		t.Error("it ran")
		return nil
	}, operation.ExecArgs{State: sessionOf(deployToken()), Command: []string{"true"}})
	if !operation.IsUnbegun(err) || !guard.IsRefused(err) || len(guard.Violations(err)) == 0 {
		t.Errorf("error %v, violations %v", err, guard.Violations(err))
	}
	_, err = attempt(t, options(t, ""), func(context.Context, operation.ExecArgs) error {
		return temporal.NewNonRetryableApplicationError("x", guard.ErrorTypePolicyViolation, nil)
	}, operation.ExecArgs{State: sessionOf(nil), Command: []string{"true"}})
	if operation.IsUnbegun(err) {
		t.Errorf("what came while it ran is taken for earlier: %v", err)
	}
}

// TestBinderAsksPolicy: what is not granted to a variable, or not any more, is not resolved.
func TestBinderAsksPolicy(t *testing.T) {
	for _, tc := range []struct {
		name, entry, variable, ref, rule string
	}{
		{"nothing granted", "", "API_TOKEN", "DEPLOY_TOKEN", "secret-not-granted"},
		{"another variable", bindsToken, "OTHER", "DEPLOY_TOKEN", "secret-not-granted"},
		{"another secret", bindsToken, "API_TOKEN", "STALE_TOKEN", "secret-not-granted"},
		{"overdue", "grants: [{secret: stale, to: {env: API_TOKEN}}]\n", "API_TOKEN", "STALE_TOKEN", "secret-review-overdue"},
		{"another workflow", "workflows: [Nobody]\n" + bindsToken, "API_TOKEN", "DEPLOY_TOKEN", "workflow-unlisted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, tc.entry)
			r := counting(t)
			opts.Resolver = r
			var got error
			// Only what ends a session gets this far without its grants.
			if _, err := attempt(t, opts, func(ctx context.Context, _ operation.StopArgs) error {
				_, got = binding.From(ctx).Env(ctx, session, tc.variable, secrets.EnvRef(tc.ref))
				return nil
			}, operation.StopArgs{State: sessionOf(nil)}); err != nil {
				t.Fatal(err)
			}
			wantRules(t, got, tc.rule)
			if len(r.asked) > 0 {
				t.Error("the provider was asked")
			}
		})
	}
}

// TestBinderIsForOperations: no other activity can bind variables of a session, and none after its attempt.
func TestBinderIsForOperations(t *testing.T) {
	var kept binding.Binder
	for _, fn := range []any{
		func(ctx context.Context, _ sandbox.SessionState) error {
			if binding.From(ctx) != nil {
				t.Error("an ordinary activity has a binder")
			}
			return nil
		},
		func(ctx context.Context, _ operation.StateArgs) error {
			kept = binding.From(ctx)
			return nil
		},
	} {
		in := any(sessionOf(nil))
		if _, ok := fn.(func(context.Context, operation.StateArgs) error); ok {
			in = operation.StateArgs{State: sessionOf(nil)}
		}
		if _, err := attempt(t, options(t, bindsToken), fn, in); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := kept.Env(t.Context(), session, "API_TOKEN", secrets.EnvRef("DEPLOY_TOKEN")); !errors.Is(err, secrets.ErrNoScope) {
		t.Errorf("after the attempt: %v", err)
	}
	if _, err := kept.Hide(t.Context(), session, binding.Given{}); !errors.Is(err, secrets.ErrNoScope) {
		t.Errorf("after the attempt: %v", err)
	}
}

// TestBinderHidesWhatWasGiven: a process that gave out nothing itself hides what another gave, and says so when it
// cannot.
func TestBinderHidesWhatWasGiven(t *testing.T) {
	given := []binding.Given{{Ref: secrets.EnvRef("DEPLOY_TOKEN"), Secret: "deploy", Variable: "API_TOKEN"}}
	for _, tc := range []struct {
		name  string
		given []binding.Given
		want  string
	}{
		{"known", given, "with " + hidden},
		{"nothing given", nil, "with " + canary},
		{"gone", []binding.Given{{Ref: secrets.EnvRef("GONE_TOKEN"), Secret: "gone"}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := attempt(t, options(t, ""), func(ctx context.Context, in operation.ReadArgs) (string, error) {
				for _, g := range tc.given {
					if v, err := binding.From(ctx).Hide(ctx, in.State.SessionID, g); err != nil {
						return "", err
					} else if text, err := v.Reveal(); err != nil || text != canary {
						t.Errorf("the host is told %v", err)
					}
				}
				return "with " + canary, nil
			}, operation.ReadArgs{State: sessionOf(nil), Path: "x"})
			if tc.want == "" {
				var app *temporal.ApplicationError
				if !errors.As(err, &app) || app.Type() != guard.ErrorTypeOutputWithheld || !app.NonRetryable() {
					t.Errorf("got %v", err)
				}
				return
			}
			var text string
			if err == nil {
				err = got.Get(&text)
			}
			if err != nil || text != tc.want {
				t.Errorf("result %q, %v, want %q", text, err, tc.want)
			}
		})
	}
}

// TestEndingASessionIsNeverRefused: a literal, a secret that is not granted, a provider that is down and a queue
// without a policy keep a session from running commands, and not from being deleted.
func TestEndingASessionIsNeverRefused(t *testing.T) {
	literal := sessionOf(map[string]sandbox.EnvValue{"API_TOKEN": sandbox.EnvLiteral(canary)})
	for _, tc := range []struct {
		name  string
		state sandbox.SessionState
		entry string
	}{
		{"a literal", literal, bindsToken},
		{"not granted", sessionOf(deployToken()), ""},
		{"provider down", sessionOf(deployToken()), "redact: [\"env:SLACK_WEBHOOK\"]\n" + bindsToken},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, tc.entry)
			opts.Resolver = failing(secrets.ErrUnavailable)
			env := environment(t, opts)
			var ran []string
			env.RegisterActivityWithOptions(func(_ context.Context, _ operation.ExecArgs) error { ran = append(ran, "exec"); return nil }, named("Exec"))
			env.RegisterActivityWithOptions(func(_ context.Context, _ operation.StopArgs) error { ran = append(ran, "delete"); return nil }, named("Delete"))
			if err := run(t, env, func(ctx workflow.Context) error {
				ctx = workflow.WithRetryPolicy(options60(ctx), temporal.RetryPolicy{MaximumAttempts: 1})
				if err := workflow.ExecuteActivity(ctx, "Exec", operation.ExecArgs{State: tc.state}).Get(ctx, nil); err == nil {
					t.Error("a command ran")
				}
				return workflow.ExecuteActivity(ctx, "Delete", operation.StopArgs{State: tc.state}).Get(ctx, nil)
			}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(ran, " "); got != "delete" {
				t.Errorf("ran %q", got)
			}
		})
	}
}

// TestPrivateQueueOfAHost: the policy of the base queue is in force on the queue that a host made for itself, for the
// operations on sessions and for nothing else.
func TestPrivateQueueOfAHost(t *testing.T) {
	env := environment(t, options(t, bindsToken))
	env.RegisterActivityWithOptions(func(context.Context, operation.StateArgs) error { return nil }, named("Start"))
	env.RegisterActivityWithOptions(func(context.Context, sandbox.SessionState) error { return nil }, named("Other"))
	if err := run(t, env, func(ctx workflow.Context) error {
		ctx = workflow.WithTaskQueue(options60(ctx), "host-7")
		ctx = workflow.WithRetryPolicy(ctx, temporal.RetryPolicy{MaximumAttempts: 1})
		operated := operation.StateArgs{State: sessionOf(deployToken())}
		wantRules(t, workflow.ExecuteActivity(ctx, "Start", operated).Get(ctx, nil), "queue-unlisted")
		ctx = workflow.WithValue(ctx, binding.QueueKey{}, testQueue)
		wantRules(t, workflow.ExecuteActivity(ctx, "Other", operated.State).Get(ctx, nil), "queue-unlisted")
		return workflow.ExecuteActivity(ctx, "Start", operated).Get(ctx, nil)
	}); err != nil {
		t.Fatal(err)
	}
}
