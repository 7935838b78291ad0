package interceptor_test

import (
	"context"
	"testing"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestShortNumberIsWithheld: a short value that its owner accepted is hidden as a
// number too.
func TestShortNumberIsWithheld(t *testing.T) {
	opts := options(t, bindReplace)
	opts.AllowShort = []string{"deploy"}
	opts.Resolver = secretstest.Static(map[string]string{"env:DEPLOY_TOKEN": "4711"})
	_, err := attempt(t, opts, func(context.Context, tagInput) (any, error) { return map[string]any{"pin": 4711}, nil }, tagInput{})
	if !guard.IsRefused(err) {
		t.Errorf("got %v, want it withheld", err)
	}
}
