package secretstest

import (
	"context"
	"fmt"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// Option changes what a [Static] resolver does.
type Option func(*static)

// AllowUnminted lets a [Static] resolver answer requests that the guard did not
// make, as in a test that calls it without one.
func AllowUnminted(tb testing.TB) Option {
	tb.Helper()
	return func(s *static) { s.unminted = true }
}

// Static returns a resolver whose secrets are values, by the reference in the
// form of [secrets.Ref.String]: {"env:DEPLOY_TOKEN": "…"}. It copies values. A
// reference that is not there is [secrets.ErrNotFound], empty contents are
// [secrets.ErrEmpty], and a request that the guard did not make is
// [secrets.ErrNotMinted].
//
// Static panics if a key is not a reference: a test with a misspelt one would
// test something else.
func Static(values map[string]string, opts ...Option) secrets.Resolver {
	s := &static{values: make(map[secrets.Ref]string, len(values))}
	for key, value := range values {
		ref, err := secrets.ParseRef(key)
		if err == nil {
			err = ref.Validate()
		}
		if err != nil {
			panic(fmt.Sprintf("secretstest: a key of Static is not a reference: %v", err))
		}
		s.values[ref] = value
	}
	for _, o := range opts {
		o(s)
	}
	return secrets.Checked(s)
}

type static struct {
	values   map[secrets.Ref]string
	unminted bool
}

// Resolve implements [secrets.Resolver].
func (s *static) Resolve(_ context.Context, req secrets.Request) (secrets.Resolution, error) {
	if !req.Minted() && !s.unminted {
		return secrets.Resolution{}, &secrets.Error{Ref: req.Ref, Kind: secrets.ErrNotMinted}
	}
	value, ok := s.values[req.Ref]
	if !ok {
		return secrets.Resolution{}, &secrets.Error{Ref: req.Ref, Kind: secrets.ErrNotFound}
	}
	return secrets.NewResolution(value, secrets.ResolutionInfo{}), nil
}
