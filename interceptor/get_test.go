package interceptor_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

const grantAsked = "grants: [{secret: deploy, to: {activity: Push}}]\n"

// asks is an activity that gets its secret by itself.
func asks(ctx context.Context) (string, error) {
	v, err := secrets.Get(ctx, secrets.EnvRef("DEPLOY_TOKEN"))
	if err != nil {
		return "", err
	}
	text, err := v.Reveal()
	return "with " + text, err
}

// TestGetIsLikeAnInjection: granted, recorded, and hidden in what comes back.
func TestGetIsLikeAnInjection(t *testing.T) {
	opts := options(t, grantAsked)
	env := environment(t, opts)
	env.RegisterActivityWithOptions(asks, named("Push"))
	var got string
	if err := run(t, env, func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(options60(ctx), "Push").Get(ctx, &got)
	}); err != nil {
		t.Fatal(err)
	}
	if got != "with "+hidden {
		t.Errorf("result %q", got)
	}
	sink := opts.Audit.(*memorySink)
	for _, action := range []audit.Action{audit.ActionResolve, audit.ActionInject} {
		if records := sink.only(action); len(records) != 1 || records[0].Destination != "get:Push" || records[0].Secret != "deploy" {
			t.Errorf("%s records %+v", action, records)
		}
	}
}

// TestGetWithoutAGrant: a field that is bound is another destination, and one
// activity's grant is not another's.
func TestGetWithoutAGrant(t *testing.T) {
	for _, tc := range []struct{ name, entry, rule string }{
		{"nothing granted", "", "secret-not-granted"},
		{"granted to a field", bindReplace, "secret-not-granted"},
		{"granted to another activity", "grants: [{secret: deploy, to: {activity: Other}}]\n", "secret-not-granted"},
		{"another secret", "grants: [{secret: other, to: {activity: Push}}]\n", "secret-not-granted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, tc.entry)
			r := counting(t)
			opts.Resolver = r
			var got error
			if _, err := attempt(t, opts, func(ctx context.Context, _ tagInput) error {
				_, got = asks(ctx)
				return nil
			}, tagInput{}); err != nil {
				t.Fatal(err)
			}
			wantRules(t, got, tc.rule)
			var app *temporal.ApplicationError
			if !errors.As(got, &app) || app.Type() != guard.ErrorTypeSecretNotGranted || !app.NonRetryable() {
				t.Errorf("got %v", got)
			}
			if !strings.Contains(got.Error(), "to: {activity: Push}}") {
				t.Errorf("the fix is missing: %v", got)
			}
			for _, req := range r.asked {
				if strings.HasPrefix(req.Scope.Destination, "get:") {
					t.Error("the provider was asked")
				}
			}
		})
	}
	t.Run("overdue", func(t *testing.T) {
		var got error
		if _, err := attempt(t, options(t, "grants: [{secret: stale, to: {activity: Push}}]\n"), func(ctx context.Context) error {
			_, got = secrets.Get(ctx, secrets.EnvRef("STALE_TOKEN"))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		wantRules(t, got, "secret-review-overdue")
	})
}

// TestGetOutsideAnAttempt: there is no way to a value but through an attempt.
func TestGetOutsideAnAttempt(t *testing.T) {
	if _, err := secrets.Get(t.Context(), secrets.EnvRef("DEPLOY_TOKEN")); !errors.Is(err, secrets.ErrNoScope) {
		t.Errorf("got %v", err)
	}
}

// TestUnlistedWorkflowGetsNoSecret: `workflows` names the only types that may use
// guard data, however the secret would get to the activity.
func TestUnlistedWorkflowGetsNoSecret(t *testing.T) {
	for _, tc := range []struct {
		name, entry string
		in          any
		fn          any
	}{
		{"bound", bindReplace, tagInput{}, func(_ context.Context, in tagInput) (string, error) { return in.Token, nil }},
		{"asked for", grantAsked, tagInput{}, func(ctx context.Context, _ tagInput) (string, error) { return asks(ctx) }},
		{"named", grantTyped, typedInput{Token: secrets.Env("DEPLOY_TOKEN")}, func(_ context.Context, in typedInput) (string, error) { return in.Token.Reveal() }},
	} {
		for _, mode := range []string{"enforce", "report"} {
			for _, listed := range []bool{true, false} {
				opts := options(t, "")
				only := "Nobody"
				if listed {
					only = "Flow"
				}
				opts.Policies = policies(t, "queues:\n  "+testQueue+":\n    mode: "+mode+"\n    workflows: ["+only+"]\n    "+tc.entry)
				r := counting(t)
				opts.Resolver = r
				env := environment(t, opts)
				env.RegisterActivityWithOptions(tc.fn, named("Push"))
				env.RegisterWorkflowWithOptions(func(ctx workflow.Context) error { return pushWorkflow(tc.in)(ctx) }, workflow.RegisterOptions{Name: "Flow"})
				env.ExecuteWorkflow("Flow")
				err := env.GetWorkflowError()
				if listed && err != nil {
					t.Errorf("%s, %s, listed: %v", tc.name, mode, err)
				}
				if !listed {
					if !guard.IsRefused(err) || guard.Violations(err)[0].Rule != "workflow-unlisted" {
						t.Errorf("%s, %s, unlisted: %v", tc.name, mode, err)
					}
					if len(r.asked) != 0 {
						t.Errorf("%s, %s, unlisted: the provider was asked", tc.name, mode)
					}
				}
			}
		}
	}
}
