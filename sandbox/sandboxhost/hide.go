package sandboxhost

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/internal/bind"
)

// hide makes sure that all that the session was ever given is hidden in what this attempt puts out: by an earlier
// attempt with the same guard, or now. If it cannot be, there must be no output.
func (s *session) hide(ctx context.Context) error {
	b := bind.From(ctx)
	given, missing := s.unhidden(b)
	if b == nil && given {
		return withheld("the guard is not on this worker, and the session was given secrets that must be hidden; nothing was done", "register the guard on the client of this worker: interceptor.NewPlugin")
	}
	var rotated []string
	for len(missing) > 0 {
		g := missing[0].Given
		value, err := b.Hide(ctx, s.id, g)
		if err != nil {
			return notHidden(ctx, g.Ref.String(), err)
		}
		text, err := value.Reveal()
		if err != nil {
			return notHidden(ctx, g.Ref.String(), err)
		}
		found := s.h.prover.grant(s.id, g, text)
		known := len(missing)
		missing = slices.DeleteFunc(missing, func(m grant) bool { return m == found })
		if len(missing) < known {
			if err := s.keepHidden(b, found, text); err != nil {
				return err
			}
		}
		known = len(missing)
		missing = slices.DeleteFunc(missing, func(m grant) bool { return m.Given == g })
		if len(missing) < known { // another value of that name was given, too
			rotated = append(rotated, g.Ref.String())
		}
	}
	if len(rotated) == 0 {
		return nil
	}
	slices.Sort(rotated)
	return withheld("the session was given earlier values of "+strings.Join(slices.Compact(rotated), ", ")+", which cannot be resolved any more, so that they could not be hidden; nothing was done",
		"put the earlier value back where its provider looks for it while the session lasts, or delete the session")
}

// notHidden is the answer if a value that was given cannot be resolved.
func notHidden(ctx context.Context, ref string, err error) error {
	var app *temporal.ApplicationError
	switch {
	case errors.As(err, &app) && !app.NonRetryable(): // an outage
		return app
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return withheld(ref+", which the session was given before, cannot be resolved any more, so that it could not be hidden; nothing was done",
		"put the secret back where its provider looks for it, or delete the session")
}

// hiddenText hides secrets in a text. What is no text cannot be edited.
func hiddenText(ctx context.Context, data []byte) ([]byte, error) {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return unedited(ctx, data)
	}
	if b := bind.From(ctx); b != nil {
		data, _ = b.Holder().Bytes(data)
	}
	return notNil(data), nil
}

// unedited returns data if there is no secret in it.
func unedited(ctx context.Context, data []byte) ([]byte, error) {
	if b := bind.From(ctx); b != nil {
		if _, hits := b.Holder().Bytes(data); hits > 0 {
			return nil, withheld("what was read holds a secret and is no text, in which it could be hidden", keepOut)
		}
	}
	return notNil(data), nil
}

func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
