package interceptor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestPanicsAreClean: the text of a panic is recorded with its stack.
func TestPanicsAreClean(t *testing.T) {
	type state struct{ Token string }
	for _, tc := range []struct {
		name string
		boom func(s string)
		want string
	}{
		{"text", func(s string) { panic("died with " + s) }, "died with " + hidden},
		{"error", func(s string) { panic(errors.New("died with " + s)) }, "died with " + hidden},
		{"struct", func(s string) { panic(state{s}) }, "{" + hidden + "}"},
		{"pointer to an error type", func(s string) { panic(&loginError{s}) }, "login with " + hidden},
		{"without a secret", func(string) { panic("just died") }, "just died"},
		{"number", func(string) { panic(42) }, "42"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := attempt(t, options(t, bindReplace), func(_ context.Context, in tagInput) error {
				tc.boom(in.Token)
				return nil
			}, tagInput{})
			var died *temporal.PanicError
			if !errors.As(err, &died) || !strings.Contains(died.Error(), tc.want) {
				t.Fatalf("got %v, want a panic with %q", err, tc.want)
			}
			if !strings.Contains(died.StackTrace(), "TestPanicsAreClean") {
				t.Error("the stack of the first panic is lost")
			}
			secretstest.AssertAbsent(t, []string{canary}, []byte(fmt.Sprintf("%+v %s", err, died.StackTrace())))
		})
	}
}
