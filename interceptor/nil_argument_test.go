package interceptor_test

import (
	"context"
	"testing"
)

// TestNilPointerArgumentIsRefused: a nil pointer arrives as an untyped nil, which
// has no place for a secret; making one of another type would panic in the SDK.
func TestNilPointerArgumentIsRefused(t *testing.T) {
	for _, tc := range []struct {
		name string
		arg  any
	}{{"nil", nil}, {"typed", (*tagInput)(nil)}} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := attempt(t, options(t, bind("/0/token", ", literal: replace")), func(context.Context, *tagInput) error {
				t.Error("it ran")
				return nil
			}, tc.arg)
			wantRules(t, err, "input-missing")
		})
	}
}
