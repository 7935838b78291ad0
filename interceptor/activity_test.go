package interceptor_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

const bindReplace = `grants: [{secret: deploy, to: {activity: Push, input: /0/token}, literal: replace}]
`

const grantTyped = `grants: [{secret: deploy, to: {activity: Push, input: /0/token}}]
`

func pushWorkflow(in any) func(workflow.Context) error {
	return func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(options60(ctx), "Push", in).Get(ctx, nil)
	}
}

func TestBindingFillsOldStruct(t *testing.T) {
	for _, tc := range []struct {
		name, literal, token string
		want                 string
		rules                []string
	}{
		{name: "empty field", literal: "refuse", token: "", want: canary},
		{name: "placeholder", literal: "refuse", token: "[secret:deploy]", want: canary},
		{name: "other text refused", literal: "refuse", token: "an old one", rules: []string{"literal-in-secret-field"}},
		{name: "other text replaced", literal: "replace", token: "an old one", want: canary},
		{name: "other text stripped", literal: "strip", token: "an old one", want: canary},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, "grants: [{secret: deploy, to: {activity: Push, input: /0/token}, literal: "+tc.literal+"}]\n"))
			var got tagInput
			env.RegisterActivityWithOptions(func(_ context.Context, in tagInput) error { got = in; return nil }, named("Push"))
			err := run(t, env, pushWorkflow(tagInput{Repo: "r", Token: tc.token}))
			if tc.rules != nil {
				wantRules(t, err, tc.rules...)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tagInput{Repo: "r", Token: tc.want}, got); diff != "" {
				t.Errorf("input (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTypedValueIsResolvedForTheActivityAlone(t *testing.T) {
	opts := options(t, grantTyped)
	env := environment(t, opts)
	in := typedInput{Repo: "r", Token: secrets.Env("DEPLOY_TOKEN")}
	var revealed string
	env.RegisterActivityWithOptions(func(_ context.Context, in typedInput) (string, error) {
		var err error
		revealed, err = in.Token.Reveal()
		return "pushed with " + revealed, err
	}, named("Push"))
	var result string
	err := run(t, env, func(ctx workflow.Context) (string, error) {
		var out string
		err := workflow.ExecuteActivity(options60(ctx), "Push", in).Get(ctx, &out)
		return out, err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := env.GetWorkflowResult(&result); err != nil {
		t.Fatal(err)
	}
	if revealed != canary || in.Token.Resolved() {
		t.Errorf("activity got %q, workflow's own resolved: %v", revealed, in.Token.Resolved())
	}
	if result != "pushed with [redacted:deploy]" {
		t.Errorf("result %q", result)
	}
	sink := opts.Audit.(*memorySink)
	if got := sink.actions(); got[audit.ActionResolve] != 1 || got[audit.ActionInject] != 1 {
		t.Errorf("audit %v", got)
	}
}

func TestLocalActivitySharesNothing(t *testing.T) {
	for _, direct := range []bool{true, false} {
		t.Run(fmt.Sprintf("direct=%v", direct), func(t *testing.T) {
			env := environment(t, options(t, grantTyped))
			in := &typedInput{Repo: "r", Token: secrets.Env("DEPLOY_TOKEN")}
			args := []any{in}
			var revealed string
			push := func(_ context.Context, in *typedInput) error {
				if args[0].(*typedInput).Token.Resolved() {
					t.Error("the caller's slice holds the value while the activity runs")
				}
				var err error
				revealed, err = in.Token.Reveal()
				return err
			}
			env.RegisterActivityWithOptions(push, named("Push"))
			err := run(t, env, func(ctx workflow.Context) error {
				ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 60e9})
				err := workflow.ExecuteLocalActivity(ctx, "Push", args...).Get(ctx, nil)
				if args[0] != any(in) {
					t.Error("the caller's slice was written to")
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if revealed != canary {
				t.Errorf("activity got %q", revealed)
			}
			if in.Token.Resolved() {
				t.Error("the workflow's object holds the value")
			}
		})
	}
}

const grantAsk = `grants: [{secret: deploy, to: {activity: Push}}, {secret: other, to: {activity: Push, input: /0}}]
`

func TestGet(t *testing.T) {
	sink := &memorySink{}
	opts := options(t, grantAsk)
	opts.Audit = sink
	result, err := attempt(t, opts, func(ctx context.Context, _ string) (string, error) {
		v, err := secrets.Get(ctx, secrets.EnvRef("DEPLOY_TOKEN"))
		if err != nil {
			return "", err
		}
		text, err := v.Reveal()
		if err != nil {
			return "", err
		}
		if text != canary {
			t.Errorf("got %q", text)
		}
		for _, ungranted := range []string{"OTHER_TOKEN", "STALE_TOKEN", "UNHEARD_OF"} {
			if _, err := secrets.Get(ctx, secrets.EnvRef(ungranted)); !guard.IsRefused(err) {
				t.Errorf("%s: %v, want a refusal: a grant to a field does not allow asking", ungranted, err)
			}
		}
		return "got " + text, nil
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	var out string
	if err := result.Get(&out); err != nil || out != "got [redacted:deploy]" {
		t.Errorf("result %q, %v", out, err)
	}
	if got := sink.actions()[audit.ActionInject]; got != 2 { // the field of the other grant, and the answer
		t.Errorf("%d injections recorded", got)
	}
}

func TestUngrantedIsRefusedInWorkflowAndWorker(t *testing.T) {
	for _, tc := range []struct {
		name string
		ref  secrets.Value
		rule string
	}{
		{"another secret", secrets.Env("OTHER_TOKEN"), "secret-not-granted"},
		{"unknown secret", secrets.Env("NOBODY_KNOWS"), "secret-not-granted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, grantTyped))
			env.RegisterActivityWithOptions(func(context.Context, typedInput) error { t.Error("it ran"); return nil }, named("Push"))
			wantRules(t, run(t, env, pushWorkflow(typedInput{Token: tc.ref})), tc.rule)
		})
	}
	t.Run("overdue", func(t *testing.T) {
		env := environment(t, options(t, "grants: [{secret: stale, to: {activity: Push, input: /0/token}}]\n"))
		env.RegisterActivityWithOptions(func(context.Context, typedInput) error { t.Error("it ran"); return nil }, named("Push"))
		wantRules(t, run(t, env, pushWorkflow(typedInput{Token: secrets.Env("STALE_TOKEN")})), "secret-review-overdue")
	})
}

func TestErrorsComeBackClean(t *testing.T) {
	for _, tc := range []struct {
		name string
		fail func(token string) error
		want string
	}{
		{"plain", func(s string) error { return fmt.Errorf("push with %s failed", s) }, "push with [redacted:deploy] failed"},
		{"wrapped", func(s string) error { return fmt.Errorf("outer: %w", fmt.Errorf("inner %s", s)) }, "outer: inner [redacted:deploy]"},
		{"application", func(s string) error {
			return temporal.NewApplicationErrorWithOptions("no "+s, "Push"+"Failed", temporal.ApplicationErrorOptions{NonRetryable: true, Details: []any{s, map[string]any{"t": s}}})
		}, "no [redacted:deploy]"},
		{"panic", func(s string) error { panic("died with " + s) }, "died with [redacted:deploy]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, bindReplace))
			env.RegisterActivityWithOptions(func(_ context.Context, in tagInput) error { return tc.fail(in.Token) }, named("Push"))
			err := run(t, env, func(ctx workflow.Context) error {
				ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 60e9, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1}})
				return workflow.ExecuteActivity(ctx, "Push", tagInput{}).Get(ctx, nil)
			})
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(fmt.Sprintf("%+v", err), canary) {
				t.Errorf("got %v, want it to hold %q", err, tc.want)
			}
		})
	}
}

func TestDynamicActivityIsBound(t *testing.T) {
	env := environment(t, options(t, bindReplace))
	var got tagInput
	env.RegisterDynamicActivity(func(_ context.Context, args converter.EncodedValues) error {
		return args.Get(&got)
	}, activityDynamic)
	if err := run(t, env, pushWorkflow(tagInput{Repo: "r", Token: "old"})); err != nil {
		t.Fatal(err)
	}
	if got.Token != canary || got.Repo != "r" {
		t.Errorf("got %+v", got)
	}
}
