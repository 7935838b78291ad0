package sandboxhost

import (
	"bytes"
	"context"
	"errors"
	"time"
	"unicode/utf8"

	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// rehide is how long the guard is trusted to remember what it hid.
const rehide = redact.Retention / 2

// hide makes sure that all that the session was ever given is hidden in what this attempt puts out: by an earlier
// attempt of this process, or now. If it cannot be, there must be no output.
func (s *session) hide(ctx context.Context) error {
	now := time.Now()
	s.mu.Lock()
	var missing []bind.Given
	for _, g := range s.rec.Given {
		if at, ok := s.hidden[g]; !ok || now.Sub(at) > rehide {
			missing = append(missing, g)
		}
	}
	given := len(s.rec.Given) > 0
	s.mu.Unlock()
	b := bind.From(ctx)
	if b == nil && given {
		return withheld("the guard is not on this worker, and the session was given secrets that must be hidden; nothing was done")
	}
	if len(missing) == 0 {
		return nil
	}
	if err := b.Hide(ctx, s.id, missing); err != nil {
		var app *temporal.ApplicationError
		if errors.As(err, &app) && !app.NonRetryable() { // an outage
			return app
		}
		return withheld("secrets that the session was given before cannot be resolved any more, so that they could not be hidden; nothing was done")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range missing {
		s.hidden[g] = now
	}
	return nil
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
			return nil, withheld("what was read holds a secret and is no text, in which it could be hidden")
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
