package interceptor_test

import (
	"context"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

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

// TestShortValuesThatStayAreToldOnce: what ordinary text is full of is not hidden, and
// whoever accepted the secret is told which one it is.
func TestShortValuesThatStayAreToldOnce(t *testing.T) {
	core, logs := observer.New(zap.WarnLevel)
	opts := options(t, bindReplace)
	opts.AllowShort, opts.Logger, opts.Resolver = []string{"deploy"}, zap.New(core), giving("true")
	env := attempts(t, opts)
	for range 2 {
		if _, err := attemptIn(env, func(context.Context, tagInput) (string, error) { return "it is true", nil }, tagInput{}); err != nil {
			t.Fatal(err)
		}
	}
	told := logs.FilterMessageSnippet("cannot be told from ordinary text").All()
	if len(told) != 1 || told[0].ContextMap()["secret"] != "deploy" || told[0].ContextMap()["ref"] != "env:DEPLOY_TOKEN" {
		t.Errorf("logged %v", told)
	}
}
