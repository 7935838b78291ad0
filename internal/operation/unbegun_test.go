package operation_test

import (
	"errors"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/internal/operation"
)

// TestUnbegun: an error that says that nothing was done says all that it said before.
func TestUnbegun(t *testing.T) {
	inner := temporal.NewNonRetryableApplicationError("inner", "Inner", nil)
	err := temporal.NewApplicationErrorWithOptions("outer", "Outer", temporal.ApplicationErrorOptions{
		NonRetryable: true, NextRetryDelay: time.Second, Category: temporal.ApplicationErrorCategoryBenign,
		Cause: inner, Details: []any{"detail"},
	})
	for attempt, want := range map[int32]bool{1: true, 2: false} {
		if got := operation.IsUnbegun(operation.Unbegun(err, attempt)); got != want {
			t.Errorf("attempt %d: %t", attempt, got)
		}
	}
	var got *temporal.ApplicationError
	marked := operation.Unbegun(err, 1)
	if !errors.As(marked, &got) || got.Message() != "outer" || got.Type() != "Outer" || !got.NonRetryable() ||
		got.NextRetryDelay() != time.Second || got.Category() != temporal.ApplicationErrorCategoryBenign {
		t.Errorf("got %v", marked)
	}
	if !errors.Is(marked, err) || !errors.Is(marked, inner) {
		t.Errorf("the cause and the details are lost: %v", marked)
	}
	if again := operation.Unbegun(marked, 1); again != marked { //nolint:errorlint // the same error is wanted
		t.Errorf("marked again: %v", again)
	}
	for _, err := range []error{nil, errors.New("x"), temporal.NewCanceledError(), temporal.NewNonRetryableApplicationError("x", operation.NotHere, nil)} {
		if got := operation.Unbegun(err, 1); got != err || operation.IsUnbegun(got) { //nolint:errorlint // the same error is wanted
			t.Errorf("%v became %v", err, got)
		}
	}
}
