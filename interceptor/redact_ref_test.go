package interceptor_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

const redactOther = `redact: ["env:OTHER_TOKEN"]
`

// TestRedactHidesWhatActivitiesReadThemselves: nothing is injected, and the value
// is hidden in what comes back.
func TestRedactHidesWhatActivitiesReadThemselves(t *testing.T) {
	other := values["env:OTHER_TOKEN"]
	v, err := attempt(t, options(t, redactOther), func(context.Context) (string, error) { return "read " + other, nil })
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if err := v.Get(&text); err != nil || text != "read [redacted:env:OTHER_TOKEN]" {
		t.Errorf("got %q, %v", text, err)
	}
	_, err = attempt(t, options(t, redactOther), func(context.Context) error { return errors.New("no " + other) })
	if err == nil || holdsText(err, other) {
		t.Errorf("error %v", err)
	}
}

// TestRedactReferencesThatCannotBeRead: an outage stops the attempt, since its
// output could not be cleaned; a secret that does not exist hides nothing.
func TestRedactReferencesThatCannotBeRead(t *testing.T) {
	const said = "Zq7-said-by-a-provider-0a1b2c3d"
	for _, tc := range []struct {
		name     string
		resolver secrets.Resolver
		stops    bool
	}{
		{"unset", failing(secrets.ErrNotFound), false},
		{"denied", failing(secrets.ErrDenied), false},
		{"too short", giving("short"), false},
		{"outage", failing(secrets.ErrUnavailable), true},
		{"error of its own", failing(errors.New(said)), true},
		{"panic", secrets.ResolverFunc(func(context.Context, secrets.Request) (secrets.Resolution, error) { panic(said) }), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, redactOther)
			opts.Resolver = tc.resolver
			ran := false
			_, err := attempt(t, opts, func(context.Context) error { ran = true; return nil })
			if !tc.stops {
				if err != nil || !ran {
					t.Errorf("ran %v, %v", ran, err)
				}
				return
			}
			var app *temporal.ApplicationError
			if ran || !errors.As(err, &app) || app.Type() != guard.ErrorTypeSecretUnavailable || app.NonRetryable() {
				t.Fatalf("ran %v, %v", ran, err)
			}
			secretstest.AssertAbsent(t, []string{said}, []byte(err.Error()))
		})
	}
}

// TestRedactReferencesAreReadAgain: once a minute, so that a rotated value is
// hidden soon, and the old one stays hidden.
func TestRedactReferencesAreReadAgain(t *testing.T) {
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	current := "first-0a1b2c3d4e5f"
	opts := options(t, redactOther)
	opts.Now = func() time.Time { return now }
	asked := 0
	opts.Resolver = secrets.ResolverFunc(func(context.Context, secrets.Request) (secrets.Resolution, error) {
		asked++
		return secrets.NewResolution(current, secrets.ResolutionInfo{}), nil
	})
	g := newGuard(t, opts)
	says := func(text string) string {
		t.Helper()
		v, err := attemptIn(attemptsOf(g), func(context.Context) (string, error) { return text, nil })
		if err != nil {
			t.Fatal(err)
		}
		var out string
		if err := v.Get(&out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	const marker = "[redacted:env:OTHER_TOKEN]"
	if got := says("a first-0a1b2c3d4e5f b"); got != "a "+marker+" b" {
		t.Errorf("got %q", got)
	}
	current = "second-0a1b2c3d4e5f"
	now = now.Add(59 * time.Second)
	if says("plain"); asked != 1 {
		t.Errorf("asked %d times within a minute", asked)
	}
	now = now.Add(time.Second)
	if got := says("first-0a1b2c3d4e5f second-0a1b2c3d4e5f"); got != marker+" "+marker || asked != 2 {
		t.Errorf("got %q, asked %d times", got, asked)
	}
}

// TestRedactIsRetriedAfterAnOutage: an attempt that was stopped does not make the
// next one run uncleaned.
func TestRedactIsRetriedAfterAnOutage(t *testing.T) {
	opts := options(t, redactOther)
	up := false
	opts.Resolver = secrets.ResolverFunc(func(ctx context.Context, req secrets.Request) (secrets.Resolution, error) {
		if !up {
			return secrets.Resolution{}, secrets.ErrUnavailable
		}
		return secretstest.Static(values).Resolve(ctx, req)
	})
	g := newGuard(t, opts)
	say := func() error {
		v, err := attemptIn(attemptsOf(g), func(context.Context) (string, error) { return values["env:OTHER_TOKEN"], nil })
		if err != nil {
			return err
		}
		var out string
		if err := v.Get(&out); err != nil || out != "[redacted:env:OTHER_TOKEN]" {
			t.Errorf("got %q, %v", out, err)
		}
		return nil
	}
	for range 2 {
		if say() == nil {
			t.Fatal("an attempt ran though its output could not be cleaned")
		}
	}
	up = true
	if err := say(); err != nil {
		t.Fatal(err)
	}
}
