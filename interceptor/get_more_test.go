package interceptor_test

import (
	"context"
	"strings"
	"testing"

	"go.temporal.io/sdk/workflow"
)

// TestLocalResultIsHidden: the SDK's test environment hands interceptors the
// encoded result of a local activity.
func TestLocalResultIsHidden(t *testing.T) {
	env := environment(t, options(t, grantAsked))
	env.RegisterActivityWithOptions(asks, named("Push"))
	var got string
	if err := run(t, env, func(ctx workflow.Context) error {
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 60e9})
		return workflow.ExecuteLocalActivity(ctx, "Push").Get(ctx, &got)
	}); err != nil || got != "with "+hidden {
		t.Errorf("result %q, %v", got, err)
	}
}

// TestGetRefusalText: the activity is running when it asks.
func TestGetRefusalText(t *testing.T) {
	var got error
	if _, err := attempt(t, options(t, ""), func(ctx context.Context) error { _, got = asks(ctx); return nil }); err != nil {
		t.Fatal(err)
	}
	if got == nil || strings.Contains(got.Error(), "not run") {
		t.Errorf("got %v", got)
	}
}
