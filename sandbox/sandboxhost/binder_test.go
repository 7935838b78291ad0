package sandboxhost_test

import (
	"context"
	"maps"
	"strings"
	"sync"
	"testing"

	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// binder stands in for the guard of one process.
type binder struct {
	tb     testing.TB
	holder *redact.Holder

	mu      sync.Mutex
	version string
	values  map[string]string // by reference
	outage  bool
	calls   []string
}

func newBinder(tb testing.TB, values map[string]string) *binder {
	tb.Helper()
	return &binder{tb: tb, holder: redact.NewSet().NewHolder(), values: maps.Clone(values)}
}

func (b *binder) get(what string, ref secrets.Ref) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.calls = append(b.calls, what+" "+ref.String())
	if b.outage {
		return "", temporal.NewApplicationError("outage", "sandboxguard.SecretUnavailable")
	}
	value, ok := b.values[ref.String()]
	if !ok {
		return "", temporal.NewNonRetryableApplicationError(ref.String()+" is not set", "TemporalWorkerEnvValueUnresolved", nil)
	}
	return value, b.holder.Add(ref.String(), value)
}

func (b *binder) Env(_ context.Context, _, variable string, ref secrets.Ref) (bind.Bound, error) {
	value, err := b.get("env", ref)
	if err != nil {
		return bind.Bound{}, err
	}
	ref.Version = b.version
	return bind.Bound{Value: secretstest.Resolved(b.tb, ref, value), Given: bind.Given{Ref: ref, Secret: "s", Variable: variable}}, nil
}

func (b *binder) Hide(_ context.Context, _ string, given bind.Given) (secrets.Value, error) {
	value, err := b.get("hide", given.Ref)
	if err != nil {
		return secrets.Value{}, err
	}
	return secretstest.Resolved(b.tb, given.Ref, value), nil
}

func (b *binder) Holder() *redact.Holder { return b.holder }

func (b *binder) put(ref, value string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if value == "" {
		delete(b.values, ref)
		return
	}
	if b.values == nil {
		b.values = map[string]string{}
	}
	b.values[ref] = value
}

func (b *binder) did() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := strings.Join(b.calls, ", ")
	b.calls = nil
	return out
}
