package interceptor_test

import (
	"context"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets"
)

type optionalInput struct {
	Token *secrets.Value `json:"token"`
}

func TestPointerToValue(t *testing.T) {
	v := secrets.Env("DEPLOY_TOKEN")
	var revealed string
	if _, err := attempt(t, options(t, grantTyped), func(_ context.Context, in optionalInput) (err error) {
		revealed, err = in.Token.Reveal()
		return err
	}, optionalInput{Token: &v}); err != nil || revealed != canary {
		t.Errorf("revealed %q, %v", revealed, err)
	}
	if v.Resolved() {
		t.Error("the caller's own value was written to")
	}
}

// TestNilPointerToValue: an optional secret that the workflow did not name.
func TestNilPointerToValue(t *testing.T) {
	var got optionalInput
	if _, err := attempt(t, options(t, grantTyped), func(_ context.Context, in optionalInput) error { got = in; return nil }, optionalInput{}); err != nil || got.Token != nil {
		t.Errorf("got %v, %v", got.Token, err)
	}
}
