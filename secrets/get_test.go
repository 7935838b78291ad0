package secrets_test

import (
	"context"
	"errors"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/mint"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

func TestGet(t *testing.T) {
	t.Parallel()
	want := errors.New("asked")
	asked := 0
	get := func(_ context.Context, ref secrets.Ref) (secrets.Value, error) {
		asked++
		return secrets.From(ref), want
	}
	ctx := secrets.WithGetter(mint.Guard(), t.Context(), get)
	v, err := secrets.Get(ctx, vaultRef)
	if !errors.Is(err, want) || v.Ref() != vaultRef || asked != 1 {
		t.Errorf("Get = %v, %v, asked %d times", v, err, asked)
	}
	for _, ref := range []secrets.Ref{{}, secrets.EnvRef("A B"), secrets.EnvRef("TOKEN_{group}")} {
		if _, err := secrets.Get(ctx, ref); !errors.Is(err, secrets.ErrInvalid) || asked != 1 {
			t.Errorf("Get(%v): %v, asked %d times", ref, err, asked)
		}
	}
}

func TestGetOutsideScope(t *testing.T) {
	t.Parallel()
	get := func(context.Context, secrets.Ref) (secrets.Value, error) { return secrets.Value{}, nil }
	var none mint.Key
	for name, ctx := range map[string]context.Context{
		"plain context": t.Context(),
		"without a key": secrets.WithGetter(none, t.Context(), get),
		"nil getter":    secrets.WithGetter(mint.Guard(), t.Context(), nil),
	} {
		v, err := secrets.Get(ctx, vaultRef)
		if !errors.Is(err, secrets.ErrNoScope) || secrets.Retryable(err) || !v.IsZero() {
			t.Errorf("%s: Get = %v, %v, want ErrNoScope", name, v, err)
		}
	}
}

func TestGetInTests(t *testing.T) {
	t.Parallel()
	ctx := secretstest.Context(t, t.Context(), secretstest.Static(map[string]string{vaultRef.String(): "hunter2"}), secrets.Scope{})
	v, err := secrets.Get(ctx, vaultRef)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Reveal(); got != "hunter2" || err != nil {
		t.Errorf("Reveal() = %q, %v", got, err)
	}
}
