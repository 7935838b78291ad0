// Package bind is where the guard and the host of sandboxes meet. The values of ordinary activities are put into
// their arguments before they run. A session's are bound when it first needs them, so that what ends a session
// never waits for a secret.
package bind

import (
	"context"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// A Binder gives a session its values, for the time of one activity attempt. Its methods may be called at the same
// time. Errors are those that the attempt is to end with: they name references, and tell what to do.
type Binder interface {
	// Env resolves the reference that stands in a variable of a session's environment, under the rules for
	// injections: it must be granted to that variable, is recorded, and is hidden before it is returned.
	Env(ctx context.Context, session, variable string, ref secrets.Ref) (Bound, error)
	// Hide resolves what a session was given before, perhaps by another process, so that it is hidden in what
	// the attempt puts out. It returns what it found, for the host to see whether that is what was given: nothing
	// is handed out, so no grant is needed.
	Hide(ctx context.Context, session string, given Given) (secrets.Value, error)
	// Holder hides what the attempt's job was given by name, and what other jobs were given without.
	Holder() *redact.Holder
}

// Given is what is kept about a value that a session was given: names only.
type Given struct {
	// Ref is the reference that was resolved, with the version if the provider told one.
	Ref secrets.Ref `json:"ref"`
	// Secret is the name that markers show.
	Secret string `json:"secret,omitempty"`
	// Variable is where it went.
	Variable string `json:"variable,omitempty"`
}

// Bound is a value that a session is given.
type Bound struct {
	Value secrets.Value
	Given Given
}

type key struct{}

// With returns a context with a binder.
func With(ctx context.Context, b Binder) context.Context { return context.WithValue(ctx, key{}, b) }

// From returns the binder of an activity's context, nil on a worker without a guard.
func From(ctx context.Context) Binder {
	b, _ := ctx.Value(key{}).(Binder)
	return b
}
