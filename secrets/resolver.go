package secrets

import (
	"context"

	"github.com/sandboxguard/sandboxguard/internal/mint"
)

// Scope says for whom a secret is resolved. The guard fills it from the
// activity attempt; empty fields do not apply to it.
type Scope struct {
	// Namespace and TaskQueue are those of the worker; the queue is its base
	// queue, by which policies are found.
	Namespace, TaskQueue string
	// WorkflowType, WorkflowID and RunID name the workflow, and are empty for a
	// standalone activity.
	WorkflowType, WorkflowID, RunID string
	// ActivityType and ActivityID name the activity.
	ActivityType, ActivityID string
	// SessionID is the sandbox session that the secret is for.
	SessionID string
	// Destination says where the contents go, such as "env:WAREHOUSE_DSN" or
	// "input:/0/token". A secret with a NUL byte, or one that is not UTF-8, is
	// refused for a destination that starts with "env:".
	Destination string
	// Attempt is the number of the attempt, from 1.
	Attempt int32
	// Standalone is set for an activity that no workflow started.
	Standalone bool
	// Local is set for a local activity.
	Local bool
}

// Request asks a [Resolver] for one secret. Requests are comparable and may be
// keys of a map.
type Request struct {
	// Ref is the secret. It was validated by the guard.
	Ref Ref
	// Scope says for whom.
	Scope Scope

	// What the guard vouched for: a Request whose fields were changed since
	// then is not the one that it made.
	key   mint.Key
	ref   Ref
	scope Scope
}

// NewRequest returns a Request that is minted if k is valid. Only packages of
// this module can call it.
func NewRequest(k mint.Key, ref Ref, s Scope) Request {
	return Request{Ref: ref, Scope: s, key: k, ref: ref, scope: s}
}

// Minted reports whether the guard made r, for this reference and this scope.
// The providers of this package refuse other requests with [ErrNotMinted]; a
// Resolver whose secrets should be read for an activity attempt only does the
// same.
func (r Request) Minted() bool {
	return r.key.Valid() && r.Ref == r.ref && r.Scope == r.scope
}

// Resolver finds secrets. The providers of this package are Resolvers, and so
// is [Providers].
//
// Resolve is called by several goroutines at a time and must return when ctx is
// done. It reports what it found with an error for which errors.Is finds a
// sentinel of this package, best an [*Error]; every other error counts as an
// outage, after which the activity is tried again, and its text is dropped.
type Resolver interface {
	Resolve(ctx context.Context, req Request) (Resolution, error)
}

// ResolverFunc is a function that is a [Resolver].
type ResolverFunc func(ctx context.Context, req Request) (Resolution, error)

// Resolve calls f.
func (f ResolverFunc) Resolve(ctx context.Context, req Request) (Resolution, error) {
	return f(ctx, req)
}
