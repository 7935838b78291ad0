package secrets

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"
)

// Providers are Resolvers by the provider of the references that they resolve.
// It is itself a [Resolver] and holds its members to the rules of [Checked].
// The map must not be changed once it is in use. The zero Providers denies
// everything.
type Providers map[string]Resolver

// Resolve asks the Resolver under req.Ref.Provider, and denies if there is
// none.
func (p Providers) Resolve(ctx context.Context, req Request) (Resolution, error) {
	r := p[req.Ref.Provider]
	if r == nil {
		if err := req.Ref.Validate(); err != nil {
			return Resolution{}, err
		}
		return Resolution{}, fail(req.Ref, ErrDenied, "this worker has no provider "+req.Ref.Provider+": set one up in Options.Resolver")
	}
	return Checked(r).Resolve(ctx, req)
}

// Checked returns a Resolver that asks r and holds it to what the guard
// promises, whatever r does:
//
//   - the reference is valid, or r is not asked ([ErrInvalid]);
//   - the contents are there ([ErrEmpty]), at most [MaxValueSize] bytes
//     ([ErrTooLarge]), and fit a destination in the environment ([ErrInvalid]);
//   - an error is an [*Error] about this reference or the error of ctx: the
//     text of any other, which may quote what it should not, is replaced by
//     [ErrUnavailable];
//   - a panic is an [ErrUnavailable], without its text.
//
// A nil r denies everything.
func Checked(r Resolver) Resolver {
	if c, ok := r.(checked); ok {
		return c
	}
	return checked{r}
}

type checked struct{ inner Resolver }

func (c checked) Resolve(ctx context.Context, req Request) (res Resolution, err error) {
	if err := req.Ref.Validate(); err != nil {
		return Resolution{}, err
	}
	if c.inner == nil {
		return Resolution{}, fail(req.Ref, ErrDenied, "this worker has no resolver")
	}
	defer func() {
		if recover() != nil {
			res, err = Resolution{}, fail(req.Ref, ErrUnavailable, "the resolver panicked")
		}
	}()
	res, err = c.inner.Resolve(ctx, req)
	if err != nil {
		return Resolution{}, cleanError(ctx, req.Ref, err)
	}
	if err := checkContents(req, res); err != nil {
		return Resolution{}, err
	}
	return res, nil
}

// cleanError returns err as one that is known to quote nothing.
func cleanError(ctx context.Context, ref Ref, err error) error {
	if own := new(Error); errors.As(err, &own) && own.Ref == ref && own.Unwrap() != nil {
		return own
	}
	for _, k := range kinds {
		if errors.Is(err, k.err) {
			return fail(ref, k.err, "")
		}
	}
	if ctxErr := ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	return fail(ref, ErrUnavailable, "")
}

// checkContents reports contents that must not be handed out.
func checkContents(req Request, res Resolution) error {
	if res.held == nil {
		return fail(req.Ref, ErrEmpty, "")
	}
	value := res.held.reveal()
	switch {
	case value == "":
		return fail(req.Ref, ErrEmpty, "")
	case len(value) > MaxValueSize:
		return fail(req.Ref, ErrTooLarge, "")
	case strings.HasPrefix(req.Scope.Destination, "env:") && (strings.ContainsRune(value, 0) || !utf8.ValidString(value)):
		return fail(req.Ref, ErrInvalid, "its contents have bytes that an environment variable cannot hold")
	}
	return nil
}
