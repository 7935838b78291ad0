package interceptor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// failing returns a resolver that fails with err.
func failing(err error) secrets.Resolver {
	return secrets.ResolverFunc(func(context.Context, secrets.Request) (secrets.Resolution, error) {
		return secrets.Resolution{}, err
	})
}

func giving(value string) secrets.Resolver {
	return secrets.ResolverFunc(func(context.Context, secrets.Request) (secrets.Resolution, error) {
		return secrets.NewResolution(value, secrets.ResolutionInfo{}), nil
	})
}

const vaultPolicy = `version: 1
secrets:
  deploy: {ref: "vault:kv/app#token", owner: o, reason: r, review_by: 2099-01-01}
queues:
  ` + testQueue + `:
    mode: enforce
    ` + bindReplace

// TestResolverFailures: a missing secret ends the attempt for good, an outage is
// tried again, and nothing of what a provider said is shown.
func TestResolverFailures(t *testing.T) {
	const said = "Zq7-canary-in-an-error-0a1b2c3d4e5f"
	ref := secrets.EnvRef("DEPLOY_TOKEN")
	kinds := func(err error) error { return &secrets.Error{Ref: ref, Kind: err} }
	for _, tc := range []struct {
		name     string
		resolver secrets.Resolver
		vault    bool
		want     string
		retry    bool
	}{
		{name: "denied", resolver: failing(kinds(secrets.ErrDenied)), want: guard.ErrorTypeSecretUnresolved},
		{name: "unset", resolver: failing(kinds(secrets.ErrNotFound)), want: guard.ErrorTypeSecretUnresolved},
		{name: "unset in a vault", resolver: failing(secrets.ErrNotFound), vault: true, want: guard.ErrorTypeProviderUnresolved},
		{name: "empty", resolver: failing(kinds(secrets.ErrEmpty)), want: guard.ErrorTypeSecretUnresolved},
		{name: "empty contents", resolver: giving(""), want: guard.ErrorTypeSecretUnresolved},
		{name: "white space", resolver: giving(" \n"), want: guard.ErrorTypeSecretUnresolved},
		{name: "too large", resolver: failing(kinds(secrets.ErrTooLarge)), want: guard.ErrorTypeSecretUnresolved},
		{name: "too large contents", resolver: giving(strings.Repeat("x", secrets.MaxValueSize+1)), want: guard.ErrorTypeSecretUnresolved},
		{name: "invalid", resolver: failing(kinds(secrets.ErrInvalid)), want: guard.ErrorTypeSecretUnresolved},
		{name: "not minted", resolver: failing(kinds(secrets.ErrNotMinted)), want: guard.ErrorTypeSecretUnresolved},
		{name: "too short", resolver: giving("short"), want: guard.ErrorTypeSecretUnresolved},
		{name: "too short in a vault", resolver: giving("short"), vault: true, want: guard.ErrorTypeProviderUnresolved},
		{name: "unavailable", resolver: failing(kinds(secrets.ErrUnavailable)), want: guard.ErrorTypeSecretUnavailable, retry: true},
		{name: "wrapped sentinel", resolver: failing(fmt.Errorf("%s: %w", said, secrets.ErrNotFound)), want: guard.ErrorTypeSecretUnresolved},
		{name: "error of its own", resolver: failing(errors.New(said)), want: guard.ErrorTypeSecretUnavailable, retry: true},
		{name: "error of its own, in a vault", resolver: failing(errors.New(said)), vault: true, want: guard.ErrorTypeSecretUnavailable, retry: true},
		{name: "panic", resolver: secrets.ResolverFunc(func(context.Context, secrets.Request) (secrets.Resolution, error) { panic(said) }), want: guard.ErrorTypeSecretUnavailable, retry: true},
		{name: "no resolution", resolver: secrets.ResolverFunc(func(context.Context, secrets.Request) (secrets.Resolution, error) {
			return secrets.Resolution{}, nil
		}), want: guard.ErrorTypeSecretUnresolved},
		{name: "no such provider", resolver: secrets.Providers{}, want: guard.ErrorTypeSecretUnresolved},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, bindReplace)
			opts.Resolver = tc.resolver
			shown := "env:DEPLOY_TOKEN"
			if tc.vault {
				opts.Policies, shown = parsed(t, vaultPolicy), "vault:kv/app#token"
			}
			_, err := attempt(t, opts, func(context.Context, tagInput) error { t.Error("it ran"); return nil }, tagInput{})
			var app *temporal.ApplicationError
			if !errors.As(err, &app) || app.Type() != tc.want || app.NonRetryable() == tc.retry {
				t.Fatalf("got %v, want %s, retryable %v", err, tc.want, tc.retry)
			}
			if guard.IsRefused(err) == tc.retry {
				t.Errorf("IsRefused is %v", guard.IsRefused(err))
			}
			if !strings.Contains(app.Message(), shown) || !strings.Contains(app.Message(), "activity Push") || !strings.Contains(app.Message(), "was not run") {
				t.Errorf("message %q does not name %s", app.Message(), shown)
			}
			secretstest.AssertAbsent(t, []string{said}, []byte(fmt.Sprintf("%+v", err)))
			if n := opts.Audit.(*memorySink).actions()[audit.ActionInject]; n != 0 {
				t.Errorf("%d injections recorded", n)
			}
		})
	}
}

// TestWireUnresolved says of variables that cannot be had what the Python plugin says, in the words that its callers
// look for.
func TestWireUnresolved(t *testing.T) {
	const unset, denied, option = `"DEPLOY_TOKEN" is not set, or is empty`, `"DEPLOY_TOKEN" is not resolvable on this worker`, "resolvable_worker_env_vars"
	for _, tc := range []struct {
		name  string
		kind  error
		vault bool
		want  string
	}{
		{"not allowed", secrets.ErrDenied, false, denied},
		{"unset", secrets.ErrNotFound, false, unset},
		{"empty", secrets.ErrEmpty, false, unset},
		{"no variable", secrets.ErrNotFound, true, "secrets: not found"},
	} {
		opts := options(t, bindReplace)
		opts.Resolver = failing(&secrets.Error{Ref: secrets.EnvRef("DEPLOY_TOKEN"), Kind: tc.kind})
		if tc.vault {
			opts.Policies = parsed(t, vaultPolicy)
		}
		_, err := attempt(t, opts, func(context.Context, tagInput) error { return nil }, tagInput{})
		var app *temporal.ApplicationError
		if !errors.As(err, &app) || !app.NonRetryable() || !strings.Contains(app.Message(), "was not resolved: "+tc.want+" (not retryable)") || strings.Contains(app.Message(), option) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}

// TestDefaultResolver: without one, the worker's environment, as far as policy
// grants it.
func TestDefaultResolver(t *testing.T) {
	t.Setenv("DEPLOY_TOKEN", canary)
	t.Setenv("OTHER_TOKEN", "other-0a1b2c3d4e5f6071")
	opts := options(t, bindReplace)
	opts.Resolver = nil
	var got tagInput
	if _, err := attempt(t, opts, func(_ context.Context, in tagInput) error { got = in; return nil }, tagInput{}); err != nil || got.Token != canary {
		t.Errorf("got %q, %v", got.Token, err)
	}
	_, err := attempt(t, opts, func(ctx context.Context, _ tagInput) error {
		_, err := secrets.Get(ctx, secrets.EnvRef("OTHER_TOKEN"))
		return err
	}, tagInput{})
	wantRules(t, err, "secret-not-granted")
}

// TestCanceledResolution: an attempt that is cancelled while it waits for a
// provider ends as cancelled, not as an outage.
func TestCanceledResolution(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	opts := options(t, bindReplace)
	opts.Resolver = secrets.ResolverFunc(func(ctx context.Context, _ secrets.Request) (secrets.Resolution, error) {
		cancel()
		<-ctx.Done()
		return secrets.Resolution{}, errors.New("gave up")
	})
	g, err := guard.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	outer := &spy{}
	env := attemptsOf(outer, g)
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{outer, g}, BackgroundActivityContext: ctx})
	if _, err := attemptIn(env, func(context.Context, tagInput) error { t.Error("it ran"); return nil }, tagInput{}); err == nil {
		t.Error("no error")
	}
	if got, _ := outer.calls("activity out")[0].args[1].(error); !errors.Is(got, context.Canceled) {
		t.Errorf("got %v", got)
	}
}

// TestShortValues: accepted by the secret's name in policy or by its reference.
func TestShortValues(t *testing.T) {
	for _, name := range []string{"deploy", "env:DEPLOY_TOKEN"} {
		opts := options(t, bindReplace)
		opts.AllowShort = []string{name}
		opts.Resolver = giving("s3cr3t")
		v, err := attempt(t, opts, func(_ context.Context, in tagInput) (string, error) { return "a " + in.Token + " b s3cr3ts", nil }, tagInput{})
		if err != nil {
			t.Fatal(err)
		}
		var text string
		if err := v.Get(&text); err != nil || text != "a "+hidden+" b s3cr3ts" {
			t.Errorf("got %q, %v", text, err)
		}
	}
}

// TestReviewDates follow Options.Now.
func TestReviewDates(t *testing.T) {
	entry := "grants: [{secret: stale, to: {activity: Push, input: /0/token}}]\n"
	for _, tc := range []struct {
		now     time.Time
		refused bool
	}{
		{time.Date(2019, 12, 31, 0, 0, 0, 0, time.UTC), false},
		{time.Date(2020, 1, 15, 23, 0, 0, 0, time.UTC), false},
		{time.Date(2020, 1, 16, 0, 0, 0, 0, time.UTC), true},
	} {
		opts := options(t, entry)
		opts.Now = func() time.Time { return tc.now }
		_, err := attempt(t, opts, func(context.Context, typedInput) error { return nil }, typedInput{Token: secrets.Env("STALE_TOKEN")})
		if guard.IsRefused(err) != tc.refused {
			t.Errorf("%s: %v", tc.now, err)
		}
	}
}

// TestBoundSecretsAreReviewedToo: a binding is no way around the date.
func TestBoundSecretsAreReviewedToo(t *testing.T) {
	_, err := attempt(t, options(t, "grants: [{secret: stale, to: {activity: Push, input: /0/token}, literal: replace}]\n"),
		func(context.Context, tagInput) error { t.Error("it ran"); return nil }, tagInput{})
	wantRules(t, err, "secret-review-overdue")
}

// TestValuesThatAVariableCannotHold: a process's environment has no room for NUL,
// nor for what is no text.
func TestValuesThatAVariableCannotHold(t *testing.T) {
	for _, value := range []string{"has a \x00 in it", "is \xff no text"} {
		opts := options(t, sandboxed)
		opts.Resolver = giving(value)
		_, err := attempt(t, opts, func(context.Context, sandbox.Manifest) error { t.Error("it ran"); return nil }, typedManifest())
		var app *temporal.ApplicationError
		if !errors.As(err, &app) || app.Type() != guard.ErrorTypeSecretUnresolved || !app.NonRetryable() {
			t.Errorf("%q: %v", value, err)
		}
	}
	opts := options(t, bindReplace)
	opts.Resolver = giving("has a \x00 in it")
	if _, err := attempt(t, opts, func(context.Context, tagInput) error { return nil }, tagInput{}); err != nil {
		t.Errorf("an activity's field may hold it: %v", err)
	}
}

// TestOneValueForTwoKindsOfPlaces: what fits a field need not fit a variable.
func TestOneValueForTwoKindsOfPlaces(t *testing.T) {
	type both struct {
		Token string           `json:"token"`
		M     sandbox.Manifest `json:"m"`
	}
	opts := options(t, "grants:\n- {secret: deploy, to: {activity: Push, input: /0/token}}\n- {secret: deploy, to: {env: API_TOKEN}}\nsandbox: {env_literals: [LANG]}\n")
	opts.Resolver = secrets.ResolverFunc(func(_ context.Context, req secrets.Request) (secrets.Resolution, error) {
		return secrets.NewResolution("has a \x00 in it", secrets.ResolutionInfo{}), nil
	})
	_, err := attempt(t, opts, func(context.Context, both) error { t.Error("it ran"); return nil }, both{M: typedManifest()})
	if !guard.IsRefused(err) {
		t.Errorf("got %v", err)
	}
}
