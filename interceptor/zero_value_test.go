package interceptor_test

import (
	"context"
	"errors"
	"testing"

	"go.temporal.io/sdk/temporal"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// TestEmptyValueIsFilledWhereTheBindingSaysSo: a run that began with an empty
// string goes on when the field becomes a Value.
func TestEmptyValueIsFilledWhereTheBindingSaysSo(t *testing.T) {
	type pointed struct {
		Token *secrets.Value `json:"token"`
	}
	for literal, want := range map[string]string{"refuse": "", "replace": canary, "strip": canary} {
		t.Run(literal, func(t *testing.T) {
			var got, gotPointed secrets.Value
			opts := options(t, bind("/0/token", ", literal: "+literal))
			if _, err := attempt(t, opts, func(_ context.Context, in typedInput) error { got = in.Token; return nil }, tagInput{}); err != nil {
				t.Fatal(err)
			}
			if _, err := attempt(t, opts, func(_ context.Context, in pointed) error {
				if in.Token != nil {
					gotPointed = *in.Token
				}
				return nil
			}, pointed{}); err != nil {
				t.Fatal(err)
			}
			for name, v := range map[string]secrets.Value{"field": got, "pointer": gotPointed} {
				if text, _ := v.Reveal(); text != want {
					t.Errorf("%s: got %q, want %q", name, text, want)
				}
			}
		})
	}
}

// TestRevealOfAnUnresolvedValueEnds: the same attempt would fail the same way.
func TestRevealOfAnUnresolvedValueEnds(t *testing.T) {
	_, err := attempt(t, options(t, grantTyped), func(_ context.Context, in typedInput) error {
		_, err := in.Token.Reveal()
		return err
	}, typedInput{})
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || !app.NonRetryable() || !guard.IsRefused(err) {
		t.Errorf("got %v", err)
	}
}
