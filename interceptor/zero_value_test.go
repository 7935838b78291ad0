package interceptor_test

import (
	"context"
	"errors"
	"strings"
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

// TestEmptyValueIsNamed: the message says which of the granted fields is empty, and
// says nothing of one where the activity failed for want of something else.
func TestEmptyValueIsNamed(t *testing.T) {
	for name, tc := range map[string]struct {
		in    typedInput
		fails func(in typedInput) error
		want  bool
	}{
		"empty":            {typedInput{}, func(in typedInput) error { _, err := in.Token.Reveal(); return err }, true},
		"not asked for":    {typedInput{}, func(typedInput) error { return errors.New("else") }, false},
		"a value of ours":  {typedInput{}, func(typedInput) error { _, err := secrets.Env("MINE").Reveal(); return err }, false},
		"named, other one": {typedInput{Token: secrets.Env("DEPLOY_TOKEN")}, func(typedInput) error { _, err := secrets.Value{}.Reveal(); return err }, false},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := attempt(t, options(t, grantTyped), func(_ context.Context, in typedInput) error { return tc.fails(in) }, tc.in)
			if got := err != nil && strings.Contains(err.Error(), "empty secrets.Value"); got != tc.want {
				t.Errorf("got %v", err)
			}
		})
	}
}
