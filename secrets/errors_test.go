package secrets_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/secrets"
)

var sentinels = map[error]bool{ // and whether it is retryable
	secrets.ErrDenied:      false,
	secrets.ErrNotFound:    false,
	secrets.ErrEmpty:       false,
	secrets.ErrTooLarge:    false,
	secrets.ErrInvalid:     false,
	secrets.ErrUnavailable: true,
	secrets.ErrNotMinted:   false,
	secrets.ErrUnresolved:  false,
	secrets.ErrLiteral:     false,
	secrets.ErrNoScope:     false,
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	ref := secrets.EnvRef("TOKEN")
	for kind, retryable := range sentinels {
		err := &secrets.Error{Ref: ref, Kind: kind}
		if !errors.Is(err, kind) || !errors.Is(errors.Unwrap(err), kind) {
			t.Errorf("%v: not found in the chain", kind)
		}
		text := err.Error()
		if !strings.HasPrefix(text, "secrets: env:TOKEN: "+strings.TrimPrefix(kind.Error(), "secrets: ")+": ") {
			t.Errorf("%v: the text is %q", kind, text)
		}
		for _, err := range []error{kind, err, fmt.Errorf("outer: %w", err), errors.Join(errors.New("other"), err)} {
			if secrets.Retryable(err) != retryable {
				t.Errorf("Retryable(%v) = %v", err, !retryable)
			}
		}
	}
	if secrets.Retryable(nil) {
		t.Error("success is retryable")
	}
	for _, err := range []error{errors.New("connection refused"), context.DeadlineExceeded, &secrets.Error{}} {
		if !secrets.Retryable(err) {
			t.Errorf("%v is of no kind of ours and not retryable", err)
		}
	}
	if secrets.Retryable(errors.Join(secrets.ErrUnavailable, secrets.ErrDenied)) {
		t.Error("a denial is retryable, if it comes with an outage")
	}
}

// An Error says nothing that did not come from this package.
func TestErrorHidesForeignText(t *testing.T) {
	t.Parallel()
	foreign := errors.New("hunter2")
	for _, err := range []*secrets.Error{
		{Kind: foreign},
		{Ref: secrets.EnvRef("TOKEN"), Kind: foreign},
		{Ref: secrets.EnvRef("correct hunter2"), Kind: secrets.ErrDenied},
		{Ref: secrets.Ref{Provider: "hunter2!", Name: "x"}, Kind: fmt.Errorf("hunter2: %w", secrets.ErrDenied)},
		{},
	} {
		for e := error(err); e != nil; e = errors.Unwrap(e) {
			if strings.Contains(e.Error(), "hunter2") {
				t.Errorf("%q shows foreign text", e)
			}
		}
	}
}

// TestMessages is the golden of what a user reads.
func TestMessages(t *testing.T) {
	t.Parallel()
	_, noProvider := secrets.ParseRef("TOKEN")
	_, noField := secrets.ParseRef("vault:kv/app#")
	_, noScope := secrets.Get(t.Context(), secrets.EnvRef("TOKEN"))
	_, unresolved := secrets.Env("TOKEN").Reveal()
	_, dropped := literal(t).Reveal()
	got := make([]string, 0, 16)
	for _, err := range []error{
		noProvider, noField, noScope, unresolved, dropped,
		secrets.EnvRef("MY-TOKEN").Validate(),
		secrets.EnvRef("ghp_0123456789").Validate(),
		secrets.EnvRef("TOKEN_{group}").Validate(),
		secrets.FileRef("../token").Validate(),
		&secrets.Error{Ref: secrets.EnvRef("TOKEN"), Kind: secrets.ErrDenied},
		&secrets.Error{Ref: secrets.EnvRef("TOKEN"), Kind: secrets.ErrNotMinted},
		&secrets.Error{Kind: secrets.ErrUnavailable},
		&secrets.Error{},
	} {
		got = append(got, err.Error())
	}
	want := []string{
		`secrets: invalid: write provider:name, for example env:REPORTS_API_TOKEN`,
		`secrets: invalid: a field after # and a version after @ must not be empty`,
		`secrets: env:TOKEN: no activity scope: call secrets.Get in an activity, with the activity's context, on a worker with the guard`,
		`secrets: env:TOKEN: not resolved: read it in an activity of a worker with the guard, at a place that the policy grants`,
		`secrets: literal instead of a reference: pass a reference such as secrets.Env("NAME")`,
		`secrets: env:MY-TOKEN: invalid: an environment variable must be named by letters, digits and _, not starting with a digit`,
		`secrets: env:[masked]: invalid: it looks like a value pasted where its name belongs: store the value with the provider and write the name`,
		`secrets: env:TOKEN_{group}: invalid: a placeholder in braces was not filled in`,
		`secrets: file:[masked]: invalid: a name must be a relative path of letters, digits, '.', '_' and '-', separated by single slashes and without . or .. segments`,
		`secrets: env:TOKEN: denied: list the exact name in the provider's allowlist`,
		`secrets: env:TOKEN: request not made by the guard: values are resolved by the guard, for activity inputs and for secrets.Get`,
		`secrets: provider unavailable: may be tried again`,
		`secrets: failed`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}
