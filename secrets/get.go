package secrets

import (
	"context"

	"github.com/sandboxguard/sandboxguard/internal/mint"
)

// getterKey is the key of the getter in a context.
type getterKey struct{}

type getter func(ctx context.Context, ref Ref) (Value, error)

// Get returns the resolved Value of ref within an activity that the guard runs.
// It is for activities that do not have the secret as an input: the policy must
// grant ref to the activity, the reading is recorded, and the contents are
// hidden in the activity's results, errors and logs, just as with an input.
//
// The context must be that of the activity. In a context of another kind the
// error wraps [ErrNoScope]; in workflow code there is none, so that a value
// never gets there.
func Get(ctx context.Context, ref Ref) (Value, error) {
	if err := ref.Validate(); err != nil {
		return Value{}, err
	}
	get, ok := ctx.Value(getterKey{}).(getter)
	if !ok {
		return Value{}, fail(ref, ErrNoScope, "")
	}
	return get(ctx, ref)
}

// WithGetter returns a context in which [Get] calls get, and ctx as it is if k
// is not valid or get is nil. Only packages of this module can call it.
func WithGetter(k mint.Key, ctx context.Context, get func(context.Context, Ref) (Value, error)) context.Context {
	if !k.Valid() || get == nil {
		return ctx
	}
	return context.WithValue(ctx, getterKey{}, getter(get))
}
