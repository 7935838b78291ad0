package secrets_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// answer is a resolver that always says the same.
func answer(value string, err error) secrets.Resolver {
	return secrets.ResolverFunc(func(context.Context, secrets.Request) (secrets.Resolution, error) {
		return secrets.NewResolution(value, secrets.ResolutionInfo{Version: "4", LeaseID: "l"}), err
	})
}

func TestProviders(t *testing.T) {
	t.Parallel()
	p := secrets.Providers{"vault": answer("from vault", nil), "other": answer("from other", nil), "none": nil}
	for _, tc := range []struct {
		ref  secrets.Ref
		want string
		err  error
		says string
	}{
		{ref: vaultRef, want: "from vault"},
		{ref: secrets.Ref{Provider: "other", Name: "a"}, want: "from other"},
		{ref: secrets.EnvRef("TOKEN"), err: secrets.ErrDenied, says: "no provider env"},
		{ref: secrets.Ref{Provider: "none", Name: "a"}, err: secrets.ErrDenied, says: "no provider none"},
		{ref: secrets.Ref{Provider: "vault", Name: "../a"}, err: secrets.ErrInvalid},
		{ref: secrets.Ref{Provider: "vault", Name: "kv/{namespace}"}, err: secrets.ErrInvalid, says: "placeholder"},
		{ref: secrets.Ref{Provider: "Not A Provider", Name: "a"}, err: secrets.ErrInvalid},
		{ref: secrets.Ref{}, err: secrets.ErrInvalid},
	} {
		t.Run(tc.ref.String(), func(t *testing.T) {
			t.Parallel()
			res, err := p.Resolve(t.Context(), secretstest.Request(t, tc.ref, secrets.Scope{}))
			if !errors.Is(err, tc.err) || err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("Resolve: %v, want %v", err, tc.err)
			}
			if got := secretstest.Reveal(t, res); got != tc.want {
				t.Errorf("Resolve gives %q, want %q", got, tc.want)
			}
			if tc.err == nil && res.Info() != (secrets.ResolutionInfo{Version: "4", LeaseID: "l"}) {
				t.Errorf("Info() = %+v", res.Info())
			}
		})
	}
	var zero secrets.Providers
	if _, err := zero.Resolve(t.Context(), secretstest.Request(t, vaultRef, secrets.Scope{})); !errors.Is(err, secrets.ErrDenied) {
		t.Errorf("no providers at all: %v, want ErrDenied", err)
	}
}

func TestCheckedHoldsContentsToTheRules(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, value, destination string
		want                     error
	}{
		{name: "text", value: "hunter2"},
		{name: "one byte", value: "x"},
		{name: "white space", value: "\n"},
		{name: "largest", value: strings.Repeat("x", secrets.MaxValueSize)},
		{name: "too large", value: strings.Repeat("x", secrets.MaxValueSize+1), want: secrets.ErrTooLarge},
		{name: "empty", want: secrets.ErrEmpty},
		{name: "text for env", value: "hunter2 ü", destination: "env:TOKEN"},
		{name: "NUL for env", value: "hunter2\x00", destination: "env:TOKEN", want: secrets.ErrInvalid},
		{name: "no UTF-8 for env", value: "hunter2\xff", destination: "env:TOKEN", want: secrets.ErrInvalid},
		{name: "NUL for an input", value: "hunter2\x00", destination: "input:/0/key"},
		{name: "no UTF-8 for an input", value: "hunter2\xff", destination: "input:/0/key"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			req := secretstest.Request(t, vaultRef, secrets.Scope{Destination: tc.destination})
			res, err := secrets.Checked(answer(tc.value, nil)).Resolve(t.Context(), req)
			if !errors.Is(err, tc.want) {
				t.Fatalf("Resolve: %v, want %v", err, tc.want)
			}
			if err != nil {
				if secrets.Retryable(err) || strings.Contains(err.Error(), "hunter2") {
					t.Errorf("the error is %v, retryable %v", err, secrets.Retryable(err))
				}
				if res != (secrets.Resolution{}) {
					t.Error("there is a resolution besides the error")
				}
			} else if secretstest.Reveal(t, res) != tc.value {
				t.Error("the contents are changed")
			}
		})
	}
	nothing := secrets.ResolverFunc(func(context.Context, secrets.Request) (secrets.Resolution, error) {
		return secrets.Resolution{}, nil
	})
	if _, err := secrets.Checked(nothing).Resolve(t.Context(), secretstest.Request(t, vaultRef, secrets.Scope{})); !errors.Is(err, secrets.ErrEmpty) {
		t.Errorf("no contents: %v, want ErrEmpty", err)
	}
}

func TestCheckedCleansErrors(t *testing.T) {
	t.Parallel()
	foreign := errors.New("GET https://u:hunter2@vault/: connection refused")
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tc := range []struct {
		name string
		ctx  context.Context
		err  error
		want error
	}{
		{"outage", t.Context(), foreign, secrets.ErrUnavailable},
		{"sentinel", t.Context(), secrets.ErrNotFound, secrets.ErrNotFound},
		{"wrapped sentinel", t.Context(), errors.Join(foreign, secrets.ErrDenied), secrets.ErrDenied},
		{"own error", t.Context(), &secrets.Error{Ref: vaultRef, Kind: secrets.ErrNotFound}, secrets.ErrNotFound},
		{"own error, wrapped", t.Context(), errors.Join(foreign, &secrets.Error{Ref: vaultRef, Kind: secrets.ErrNotFound}), secrets.ErrNotFound},
		{"own error about another", t.Context(), &secrets.Error{Ref: secrets.EnvRef("OTHER"), Kind: secrets.ErrNotFound}, secrets.ErrNotFound},
		{"own error of no kind", t.Context(), &secrets.Error{Ref: vaultRef, Kind: foreign}, secrets.ErrUnavailable},
		{"its own deadline", t.Context(), context.DeadlineExceeded, secrets.ErrUnavailable},
		{"cancelled", done, foreign, context.Canceled},
		{"cancelled, but denied", done, secrets.ErrDenied, secrets.ErrDenied},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			res, err := secrets.Checked(answer("hunter2", tc.err)).Resolve(tc.ctx, secretstest.Request(t, vaultRef, secrets.Scope{}))
			if !errors.Is(err, tc.want) || res != (secrets.Resolution{}) {
				t.Fatalf("Resolve: %v, want %v", err, tc.want)
			}
			own := new(secrets.Error)
			if errors.As(err, &own) && own.Ref != vaultRef {
				t.Errorf("the error is about %v", own.Ref)
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if strings.Contains(e.Error(), "hunter2") || strings.Contains(e.Error(), "OTHER") {
					t.Errorf("the error shows foreign text: %v", e)
				}
			}
		})
	}
}

func TestCheckedSurvivesPanics(t *testing.T) {
	t.Parallel()
	r := secrets.ResolverFunc(func(context.Context, secrets.Request) (secrets.Resolution, error) { panic("hunter2") })
	res, err := secrets.Checked(r).Resolve(t.Context(), secretstest.Request(t, vaultRef, secrets.Scope{}))
	if !errors.Is(err, secrets.ErrUnavailable) || strings.Contains(err.Error(), "hunter2") || res != (secrets.Resolution{}) {
		t.Errorf("Resolve: %v", err)
	}
	if _, err := secrets.Checked(nil).Resolve(t.Context(), secretstest.Request(t, vaultRef, secrets.Scope{})); !errors.Is(err, secrets.ErrDenied) {
		t.Errorf("a nil resolver: %v, want ErrDenied", err)
	}
	once := secrets.Checked(answer("x", nil))
	if _, err := secrets.Checked(once).Resolve(t.Context(), secretstest.Request(t, vaultRef, secrets.Scope{})); err != nil {
		t.Errorf("checked twice: %v", err)
	}
}

// A request is minted for what the guard asked, not for what became of it.
func TestChangedRequestIsNotMinted(t *testing.T) {
	t.Parallel()
	req := secretstest.Request(t, secrets.EnvRef("TOKEN"), secrets.Scope{Namespace: "default"})
	if !req.Minted() {
		t.Fatal("the request is not minted")
	}
	for name, change := range map[string]func(*secrets.Request){
		"reference": func(r *secrets.Request) { r.Ref = secrets.EnvRef("OTHER") },
		"scope":     func(r *secrets.Request) { r.Scope.Namespace = "other" },
	} {
		changed := req
		change(&changed)
		if changed.Minted() {
			t.Errorf("still minted with another %s", name)
		}
	}
	if (secrets.Request{Ref: secrets.EnvRef("TOKEN")}).Minted() {
		t.Error("a request that nobody made is minted")
	}
}
