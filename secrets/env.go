package secrets

import (
	"context"
	"os"
)

// NewEnvProvider returns a [Resolver] for references to the worker's own
// environment. Only the names that allow lists, as they are now, are read; nil
// and empty lists deny all. The error wraps [ErrInvalid] if a listed name is
// not one of an environment variable; there are no patterns.
//
// A variable is read anew for each request, and returned as it is. Resolve
// fails with [ErrNotMinted], [ErrDenied] (not listed), [ErrNotFound] (not set),
// [ErrEmpty], [ErrTooLarge] and [ErrInvalid].
func NewEnvProvider(allow Allowlist) (Resolver, error) {
	a, err := newAllowed(providerEnv, allow)
	if err != nil {
		return nil, err
	}
	return envProvider{a}, nil
}

type envProvider struct{ allow allowed }

// Resolve implements [Resolver].
func (p envProvider) Resolve(_ context.Context, req Request) (Resolution, error) {
	if err := admit(req, providerEnv, p.allow); err != nil {
		return Resolution{}, err
	}
	value, ok := os.LookupEnv(req.Ref.Name)
	if !ok {
		return Resolution{}, fail(req.Ref, ErrNotFound, "the variable is not set where the worker runs")
	}
	res := NewResolution(value, ResolutionInfo{})
	if err := checkContents(req, res); err != nil {
		return Resolution{}, err
	}
	return res, nil
}

// admit reports why a built-in provider does not even look at what it has.
func admit(req Request, provider string, allow allowed) error {
	if !req.Minted() {
		return fail(req.Ref, ErrNotMinted, "")
	}
	if err := req.Ref.Validate(); err != nil {
		return err
	}
	if req.Ref.Provider != provider {
		return fail(req.Ref, ErrDenied, "the "+provider+" provider has no secrets of other providers")
	}
	if !allow.has(req.Ref.Name) {
		return fail(req.Ref, ErrDenied, "")
	}
	return nil
}
