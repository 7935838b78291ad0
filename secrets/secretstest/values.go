package secretstest

import (
	"context"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/mint"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// Resolved returns the Value of ref with the contents value, as an activity
// gets it from the guard.
func Resolved(tb testing.TB, ref secrets.Ref, value string) secrets.Value {
	tb.Helper()
	return secrets.Resolved(mint.Guard(), ref, secrets.NewResolution(value, secrets.ResolutionInfo{}))
}

// Option changes what [Static] does.
type Option func(*static)

// AllowUnminted lets a [Static] resolver answer requests that the guard did not
// make.
func AllowUnminted(tb testing.TB) Option {
	tb.Helper()
	return func(s *static) { s.unminted = true }
}

// Static returns a Resolver with fixed contents, by reference in the form of
// [secrets.Ref.String].
func Static(values map[string]string, opts ...Option) secrets.Resolver {
	s := &static{values: values}
	for _, o := range opts {
		o(s)
	}
	return s
}

type static struct {
	values   map[string]string
	unminted bool
}

// Resolve implements [secrets.Resolver].
func (s *static) Resolve(_ context.Context, req secrets.Request) (secrets.Resolution, error) {
	if !req.Minted() && !s.unminted {
		return secrets.Resolution{}, &secrets.Error{Ref: req.Ref, Kind: secrets.ErrNotMinted}
	}
	v, ok := s.values[req.Ref.String()]
	if !ok {
		return secrets.Resolution{}, &secrets.Error{Ref: req.Ref, Kind: secrets.ErrNotFound}
	}
	return secrets.NewResolution(v, secrets.ResolutionInfo{}), nil
}
