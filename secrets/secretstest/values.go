package secretstest

import (
	"context"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/mint"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// Resolved returns the Value of ref with the contents value, as an activity
// gets it from the guard. It fails the test if ref is not valid.
func Resolved(tb testing.TB, ref secrets.Ref, value string) secrets.Value {
	tb.Helper()
	inTestOnly(tb)
	if err := ref.Validate(); err != nil {
		tb.Fatalf("secretstest: %v", err)
	}
	return secrets.Resolved(mint.Guard(), ref, secrets.NewResolution(value, secrets.ResolutionInfo{}))
}

// Request returns the request that the guard would make for ref in scope, for
// tests of a [secrets.Resolver].
func Request(tb testing.TB, ref secrets.Ref, scope secrets.Scope) secrets.Request {
	tb.Helper()
	inTestOnly(tb)
	return secrets.NewRequest(mint.Guard(), ref, scope)
}

// Reveal returns the contents of a resolver's answer.
func Reveal(tb testing.TB, r secrets.Resolution) string {
	tb.Helper()
	inTestOnly(tb)
	return r.Reveal(mint.Guard())
}

// Context returns a context in which [secrets.Get] asks r, with scope. There is
// no policy: r decides alone what is granted.
func Context(tb testing.TB, parent context.Context, r secrets.Resolver, scope secrets.Scope) context.Context {
	tb.Helper()
	inTestOnly(tb)
	k := mint.Guard()
	r = secrets.Checked(r)
	return secrets.WithGetter(k, parent, func(ctx context.Context, ref secrets.Ref) (secrets.Value, error) {
		res, err := r.Resolve(ctx, secrets.NewRequest(k, ref, scope))
		if err != nil {
			return secrets.Value{}, err
		}
		return secrets.Resolved(k, ref, res), nil
	})
}

// inTestOnly stops a program that is no test and has a [testing.TB] all the
// same, as testing.Benchmark gives it one.
func inTestOnly(tb testing.TB) {
	tb.Helper()
	if !testing.Testing() {
		tb.Fatalf("secretstest: only tests may use this package")
		panic("secretstest: only tests may use this package")
	}
}
