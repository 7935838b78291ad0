package secrets_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

func TestEnvProvider(t *testing.T) {
	t.Setenv("SECRETS_TEST_TOKEN", " hunter2\n")
	t.Setenv("SECRETS_TEST_EMPTY", "")
	t.Setenv("SECRETS_TEST_LARGEST", strings.Repeat("x", secrets.MaxValueSize))
	t.Setenv("SECRETS_TEST_TOO_LARGE", strings.Repeat("x", secrets.MaxValueSize+1))
	t.Setenv("SECRETS_TEST_NOT_LISTED", "hunter2")
	t.Setenv("SECRETS_TEST_LATIN1", "hunter2\xe9")

	listed := secrets.Names{
		"SECRETS_TEST_TOKEN", "SECRETS_TEST_EMPTY", "SECRETS_TEST_LARGEST", "SECRETS_TEST_TOO_LARGE",
		"SECRETS_TEST_UNSET", "SECRETS_TEST_LATIN1",
	}
	minted := func(name string) secrets.Request {
		return secretstest.Request(t, secrets.EnvRef(name), secrets.Scope{Destination: "env:TOKEN"})
	}
	unminted := func(name string) secrets.Request { return secrets.Request{Ref: secrets.EnvRef(name)} }
	for _, tc := range []struct {
		name  string
		allow secrets.Allowlist
		req   secrets.Request
		want  string
		err   error
	}{
		{name: "listed", allow: listed, req: minted("SECRETS_TEST_TOKEN"), want: " hunter2\n"},
		{name: "largest", allow: listed, req: minted("SECRETS_TEST_LARGEST"), want: strings.Repeat("x", secrets.MaxValueSize)},
		{name: "too large", allow: listed, req: minted("SECRETS_TEST_TOO_LARGE"), err: secrets.ErrTooLarge},
		{name: "empty", allow: listed, req: minted("SECRETS_TEST_EMPTY"), err: secrets.ErrEmpty},
		{name: "unset", allow: listed, req: minted("SECRETS_TEST_UNSET"), err: secrets.ErrNotFound},
		{name: "not UTF-8", allow: listed, req: minted("SECRETS_TEST_LATIN1"), err: secrets.ErrInvalid},
		{name: "not listed", allow: listed, req: minted("SECRETS_TEST_NOT_LISTED"), err: secrets.ErrDenied},
		{name: "not listed and unset", allow: listed, req: minted("SECRETS_TEST_UNKNOWN"), err: secrets.ErrDenied},
		{name: "other case", allow: listed, req: minted("secrets_test_token"), err: secrets.ErrDenied},
		{name: "beginning of a listed name", allow: listed, req: minted("SECRETS_TEST_TOK"), err: secrets.ErrDenied},
		{name: "nothing listed", allow: nil, req: minted("SECRETS_TEST_TOKEN"), err: secrets.ErrDenied},
		{name: "nil names", allow: secrets.Names(nil), req: minted("SECRETS_TEST_TOKEN"), err: secrets.ErrDenied},
		{name: "no names", allow: secrets.Names{}, req: minted("SECRETS_TEST_TOKEN"), err: secrets.ErrDenied},
		{name: "all", allow: secrets.AllowAll{}, req: minted("SECRETS_TEST_NOT_LISTED"), want: "hunter2"},
		{name: "all, unset", allow: secrets.AllowAll{}, req: minted("SECRETS_TEST_UNKNOWN"), err: secrets.ErrNotFound},
		{name: "not minted", allow: secrets.AllowAll{}, req: unminted("SECRETS_TEST_TOKEN"), err: secrets.ErrNotMinted},
		{name: "not minted and not listed", allow: listed, req: unminted("SECRETS_TEST_NOT_LISTED"), err: secrets.ErrNotMinted},
		{name: "no name", allow: secrets.AllowAll{}, req: minted(""), err: secrets.ErrInvalid},
		{name: "template", allow: secrets.AllowAll{}, req: minted("SECRETS_TEST_{group}"), err: secrets.ErrInvalid},
		{name: "pasted", allow: secrets.AllowAll{}, req: minted("ghp_hunter2"), err: secrets.ErrInvalid},
		{
			name: "another provider's", allow: secrets.AllowAll{}, err: secrets.ErrDenied,
			req: secretstest.Request(t, secrets.FileRef("SECRETS_TEST_TOKEN"), secrets.Scope{}),
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := secrets.NewEnvProvider(tc.allow)
			if err != nil {
				t.Fatalf("NewEnvProvider: %v", err)
			}
			res, err := p.Resolve(t.Context(), tc.req)
			if !errors.Is(err, tc.err) {
				t.Fatalf("Resolve: %v, want %v", err, tc.err)
			}
			if got := secretstest.Reveal(t, res); got != tc.want {
				t.Errorf("Resolve gives %d bytes, want %d", len(got), len(tc.want))
			}
			if err != nil && (secrets.Retryable(err) || strings.Contains(err.Error(), "hunter2")) {
				t.Errorf("the error is %v, retryable %v", err, secrets.Retryable(err))
			}
		})
	}
}

func TestEnvProviderReadsAnew(t *testing.T) {
	p, err := secrets.NewEnvProvider(secrets.Names{"SECRETS_TEST_TOKEN"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"first", "second"} {
		t.Setenv("SECRETS_TEST_TOKEN", want)
		res, err := p.Resolve(t.Context(), secretstest.Request(t, secrets.EnvRef("SECRETS_TEST_TOKEN"), secrets.Scope{}))
		if err != nil || secretstest.Reveal(t, res) != want {
			t.Errorf("Resolve gives %q, %v, want %q", secretstest.Reveal(t, res), err, want)
		}
	}
}

func TestEnvProviderKeepsItsList(t *testing.T) {
	t.Setenv("SECRETS_TEST_A", "a")
	t.Setenv("SECRETS_TEST_B", "b")
	allow := secrets.Names{"SECRETS_TEST_A"}
	p, err := secrets.NewEnvProvider(allow)
	if err != nil {
		t.Fatal(err)
	}
	allow[0] = "SECRETS_TEST_B"
	if _, err := p.Resolve(t.Context(), secretstest.Request(t, secrets.EnvRef("SECRETS_TEST_A"), secrets.Scope{})); err != nil {
		t.Errorf("a name that was listed at construction: %v", err)
	}
	if _, err := p.Resolve(t.Context(), secretstest.Request(t, secrets.EnvRef("SECRETS_TEST_B"), secrets.Scope{})); !errors.Is(err, secrets.ErrDenied) {
		t.Errorf("a name that was put into the caller's list later: %v, want ErrDenied", err)
	}
}

func TestProvidersRefuseNamesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"*", "AWS_*", "", "A B", "A,B", "TOKEN_{group}", "ghp_hunter2"} {
		if _, err := secrets.NewEnvProvider(secrets.Names{"OTHER", name}); !errors.Is(err, secrets.ErrInvalid) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("NewEnvProvider with %q: %v, want ErrInvalid", name, err)
		}
		if _, err := secrets.NewFileProvider(t.TempDir(), secrets.FileOptions{Allow: secrets.Names{name}}); !errors.Is(err, secrets.ErrInvalid) {
			t.Errorf("NewFileProvider with %q: %v, want ErrInvalid", name, err)
		}
	}
}
