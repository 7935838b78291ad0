package interceptor_test

import (
	"context"
	"errors"
	"testing"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// locally runs a local activity Push with args.
func locally(args ...any) func(workflow.Context) error {
	return func(ctx workflow.Context) error {
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 60e9, RetryPolicy: retries(1)})
		return workflow.ExecuteLocalActivity(ctx, "Push", args...).Get(ctx, nil)
	}
}

// TestWhatALocalActivityWritesIsItsOwn: it shares its arguments with the workflow by
// pointer, so an activity that was given a secret and writes it into what it got
// must not write it into the workflow's memory.
func TestWhatALocalActivityWritesIsItsOwn(t *testing.T) {
	type job struct {
		Token secrets.Value  `json:"token"`
		Notes map[string]any `json:"notes"`
		Kid   *leaf          `json:"kid"`
		Kids  []*leaf        `json:"kids"`
	}
	in := &job{Token: secrets.Env("DEPLOY_TOKEN"), Notes: map[string]any{"a": []any{1}}, Kid: &leaf{}, Kids: []*leaf{{}}}
	before := jsonOf(t, in)
	beside := map[string]any{"k": "v"}
	env := environment(t, options(t, grantTyped))
	env.RegisterActivityWithOptions(func(_ context.Context, in *job, beside map[string]any) error {
		text, err := in.Token.Reveal()
		in.Notes["token"], in.Kid.Note, in.Kids[0].Note = text, text, text
		in.Notes["a"].([]any)[0] = text
		beside["token"] = text
		return err
	}, named("Push"))
	if err := run(t, env, locally(in, beside)); err != nil {
		t.Fatal(err)
	}
	if after := jsonOf(t, in); after != before || len(beside) != 1 || in.Token.Resolved() {
		t.Errorf("the workflow holds %s and %v", after, beside)
	}
}

// TestLocalActivityWithoutASecretSharesAsEver: nothing is copied that need not be.
func TestLocalActivityWithoutASecretSharesAsEver(t *testing.T) {
	in := map[string]any{}
	env := environment(t, options(t, ""))
	env.RegisterActivityWithOptions(func(_ context.Context, in map[string]any) error { in["said"] = "hello"; return nil }, named("Push"))
	if err := run(t, env, locally(in)); err != nil || in["said"] != "hello" {
		t.Errorf("got %v, %v", in, err)
	}
}

// TestLocalActivityErrorsAreClean: the message of a local activity's failure stands
// in a marker.
func TestLocalActivityErrorsAreClean(t *testing.T) {
	env := environment(t, options(t, grantTyped))
	env.RegisterActivityWithOptions(func(_ context.Context, in typedInput) error {
		text, err := in.Token.Reveal()
		if err != nil {
			return err
		}
		return errors.New("push with " + text)
	}, named("Push"))
	err := run(t, env, locally(typedInput{Token: secrets.Env("DEPLOY_TOKEN")}))
	if err == nil || holdsText(err, canary) {
		t.Errorf("got %v", err)
	}
}
