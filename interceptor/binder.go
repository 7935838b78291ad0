package interceptor

import (
	"context"
	"slices"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/internal/mint"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/validation"
)

// isOperation is true for the arguments of a sandbox provider's activities.
func isOperation(args []any) bool { return slices.ContainsFunc(args, operation.IsArgument) }

// endsSession is true for those that only end something. They hold nothing that anybody
// may hold up: a session whose secret was revoked must stop, too.
func endsSession(args []any) bool { return slices.ContainsFunc(args, operation.IsCleanUp) }

// governedBy is the queue whose policy governs an activity: for an operation on a session that is on its way to the
// host's private queue, the one that the host serves.
func governedBy(ctx workflow.Context, queue string, args []any) string {
	if base := bind.Queue(ctx); base != "" && isOperation(args) {
		return base
	}
	return queue
}

// baseQueue is the queue that the worker of a host works for, empty for every other worker.
func baseQueue(o *worker.Options) string {
	if o.BackgroundActivityContext == nil {
		return ""
	}
	return bind.Queue(o.BackgroundActivityContext)
}

// withBinder lets the host of a session bind its values when it first needs them. Only
// this module's arguments of operations have it: the variables of a session are another
// destination than what an activity asks for.
func (a *attempt) withBinder(ctx context.Context, args []any) context.Context {
	if !isOperation(args) {
		return ctx
	}
	asking := *a
	asking.asking = true
	return bind.With(ctx, &binder{a: &asking})
}

// binder is the guard's half of giving a session its values.
type binder struct{ a *attempt }

// Env resolves a reference for a variable of a session under the rules of injections.
func (b *binder) Env(ctx context.Context, session, variable string, ref secrets.Ref) (bind.Bound, error) {
	a, err := b.attempt(session)
	if err != nil {
		return bind.Bound{}, err
	}
	defer a.scribe.close()
	var grant validation.Grant
	var granted secrets.Ref
	rule := validation.RuleQueueUnlisted
	if a.listed {
		grant, granted, rule = envGrant(a.policy, variable, ref, a.refScope(), a.g.now())
	}
	if rule == "" && !a.mayUseSecrets() {
		rule = validation.RuleWorkflowUnlisted
	}
	if rule != "" {
		return bind.Bound{}, a.refused([]validation.Violation{notGranted(rule, "", ref, a.policy, grant, "env", variable)}, nil)
	}
	s := siteOf(&grant, granted, "env:"+variable)
	v, err := a.resolve(ctx, &s)
	if err != nil {
		return bind.Bound{}, err
	}
	if text, err := v.Reveal(); err != nil || !fits(text, s.destination) {
		return bind.Bound{}, a.unresolved(s.ref, secrets.ErrInvalid)
	}
	if err := a.grantRecord(ctx, audit.ActionInject, &s); err != nil {
		return bind.Bound{}, err
	}
	given := bind.Given{Ref: s.ref, Secret: s.secret, Variable: variable}
	if s.version != "" {
		given.Ref.Version = s.version
	}
	return bind.Bound{Value: v, Given: given}, nil
}

// Hide resolves what a session was given before, so that it is hidden. One that the
// provider does not have any more cannot be hidden: then nothing may leave.
func (b *binder) Hide(ctx context.Context, session string, given bind.Given) (secrets.Value, error) {
	a, err := b.attempt(session)
	if err != nil {
		return secrets.Value{}, err
	}
	defer a.scribe.close()
	scope := a.scope
	scope.Destination = "redact"
	res, err := a.g.resolver.Resolve(ctx, secrets.NewRequest(mint.Guard(), given.Ref, scope))
	switch {
	case err == nil:
		err = a.hide(given.Secret, given.Ref, res)
	case ctx.Err() != nil:
		return secrets.Value{}, ctx.Err()
	case secrets.Retryable(err):
		return secrets.Value{}, a.unavailable(given.Ref.String())
	}
	if err != nil {
		return secrets.Value{}, a.withheld()
	}
	return secrets.Resolved(mint.Guard(), given.Ref, res), nil
}

// Holder hides what this attempt's job was given.
func (b *binder) Holder() *redact.Holder { return b.a.holder }

// attempt returns the attempt to act in for a session, or why it cannot.
func (b *binder) attempt(session string) (*attempt, error) {
	switch {
	case b.a.over.Load():
		return nil, &secrets.Error{Kind: secrets.ErrNoScope}
	case b.a.inside != "":
		return nil, b.a.insideErr()
	}
	a := b.a.withScribe()
	a.scope.SessionID = session
	return a, nil
}
