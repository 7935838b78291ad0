package interceptor

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/sandboxguard/sandboxguard/internal/sdkmethods"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/validation"
)

// Queue names a task queue in a namespace.
type Queue = validation.Queue

// PolicySource answers which policy governs a task queue. *[validation.Policies]
// is one.
//
// PolicyFor is called on every guarded call, also from workflow code: it must
// not block, must be safe for concurrent use, and answers false when no entry
// and no default covers the queue. Its answer may change at any time: what a
// recorded workflow does on replay never depends on it.
type PolicySource interface {
	PolicyFor(q Queue) (validation.Policy, bool)
}

// Options configure the guard. Only Policies is required. The constructors copy
// what they need; an Options value can be used again.
type Options struct {
	// Policies decides per task queue. Required.
	Policies PolicySource

	// Resolver turns references into values, on the worker, for activity
	// attempts only. nil means environment variables of the worker's process:
	// which of them may be read is what the policy grants, name by name. A custom
	// resolver must be safe for concurrent use.
	Resolver secrets.Resolver

	// Audit receives what was allowed, resolved, injected, denied and redacted.
	// nil writes records to Logger. A sink that fails or blocks
	// stops granting acts (they are retried), never denials, redaction or
	// clean-up.
	Audit audit.Sink

	// Logger receives the guard's own messages. nil means the client's logger with
	// the plugin, and slog.Default with the interceptors alone.
	Logger *zap.Logger

	// TaskQueue is the worker's base queue. The plugin knows it and ignores this
	// field; with [New] it is needed where activities run on other queues of the
	// same worker, as sessions do. Empty means the queue of each task.
	TaskQueue string

	// AllowInside names interceptors, by Go type as %T prints it, that may stand
	// between the guard and the activity and so see resolved values. Empty means
	// none: a worker with one does not start.
	AllowInside []string

	// Unguarded accepts outbound methods of a newer SDK that this version of the
	// guard does not know, by exact name as the error of [New] lists them. What
	// goes through them is not guarded.
	Unguarded []string

	// AllowShort names secrets, by policy name or reference, whose value may be
	// shorter than 8 bytes. Such values are hidden on word boundaries only, and
	// not at all, with a warning, if they are true, false, null or punctuation.
	// Empty means that a short value is refused.
	AllowShort []string

	// Hidden is the set of values to hide. nil makes one. Give the same set to
	// [ScanCodec] and to zapguard.NewCore, so that they hide what the guard
	// resolved.
	Hidden *redact.Set

	// FailTainted fails a workflow whose start input or signals hold what policy
	// refuses. The data is in history already then; false records it and lets
	// the run go on.
	FailTainted bool

	// Now is the clock for review dates. nil means time.Now.
	Now func() time.Time
}

func (o Options) validate() error {
	var errs []error
	if o.Policies == nil || isNilPointer(o.Policies) {
		errs = append(errs, errors.New("interceptor: Options.Policies is required: load one with validation.LoadPolicies"))
	}
	if unknown := sdkmethods.Unknown(o.Unguarded); len(unknown) > 0 {
		errs = append(errs, fmt.Errorf("interceptor: this version of the SDK has methods that the guard does not know: %s\n"+
			"  fix: use the SDK version that the README's compatibility table names, or accept them in Options.Unguarded", joinNames(unknown)))
	}
	return errors.Join(errs...)
}

func joinNames(names []string) string { return strings.Join(names, ", ") }
