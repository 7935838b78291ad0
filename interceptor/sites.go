package interceptor

import (
	"errors"
	"reflect"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// A site is one granted place that gets a value.
type site struct {
	ref           secrets.Ref
	secret, owner string // as policy names them
	destination   string // "env:NAME", "activity:Type/0/token"
	// input is where a binding writes, nil for all other sites.
	input validation.Pointer
	// version is the provider's name of what was resolved, if it told one.
	version string
}

func siteOf(grant *validation.Grant, ref secrets.Ref, destination string) site {
	return site{ref: ref, secret: grant.Secret.Name, owner: grant.Secret.Owner, destination: destination}
}

// An injection is what an attempt needs: where, and what is wrong with it.
type injection struct {
	sites      []site
	bindings   []site // text places that a binding fills; a subset of sites
	violations []validation.Violation
	unnamed    []site // places of type secrets.Value where nothing names the secret
}

// noInjection is that of arguments without a granted place. It is never written to.
var noInjection = &injection{}

// holdsGuardData is false where no argument holds anything that is granted by its
// type.
func holdsGuardData(args []any) bool {
	for _, arg := range args {
		if f := (finder{guard: true, refs: true}); f.any(arg, "", maxDepth/2) {
			return true
		}
	}
	return false
}

func (a *attempt) refScope() validation.RefScope {
	return validation.RefScope{Namespace: a.scope.Namespace, TaskQueue: a.queue, WorkflowID: a.scope.WorkflowID}
}

// places finds every granted place in judged arguments, bindings included.
// guardData is false where judging met none.
func (a *attempt) places(args []any, guardData bool) *injection {
	if !a.listed || isOperation(args) { // a session's values are bound, see binder
		return noInjection
	}
	guardData = guardData && holdsGuardData(args)
	if !guardData && len(a.policy.Inputs(a.scope.ActivityType))+len(a.policy.InputGrants(a.scope.ActivityType)) == 0 {
		return noInjection
	}
	p := &injection{}
	if guardData {
		a.typedSites(args, p)
	}
	a.eachInput(args, func(env map[string]any) map[string]any {
		for name, form := range env {
			if ref, ok := envRef(form); ok {
				a.envSite(name, ref, p)
			}
		}
		return nil
	})
	a.bindingSites(args, p)
	if len(p.sites) > 0 && !a.mayUseSecrets() {
		p.violations = append(p.violations, violation(validation.RuleWorkflowUnlisted, ""))
	}
	return p
}

// typedSites finds the places that types tell.
func (a *attempt) typedSites(args []any, p *injection) {
	w := &walker{visitor: visitor{
		value: func(at place, v secrets.Value, _ bool) (secrets.Value, bool) {
			grant, ref, rule := pickGrant(grantsAt(a.policy, a.scope.ActivityType, at), v.Ref(), a.refScope(), a.began)
			if rule == "" && !v.Literal() {
				p.add(siteOf(&grant, ref, "activity:"+a.scope.ActivityType+at.String()))
			}
			return v, false
		},
		manifest: func(_ place, m sandbox.Manifest, _ bool) (sandbox.Manifest, bool) {
			a.environment(m, p)
			return m, false
		},
		runConfig: func(_ place, rc sandbox.RunConfig, _ bool) (sandbox.RunConfig, bool) {
			for _, held := range manifestsOf(rc) {
				a.environment(held.manifest, p)
			}
			return rc, false
		},
	}}
	w.values(args)
}

// mayUseSecrets applies the policy's list of workflow types, also to secrets that
// no argument names. A standalone activity belongs to no workflow, so that a list
// leaves it out.
func (a *attempt) mayUseSecrets() bool { return a.policy.AllowsWorkflow(a.scope.WorkflowType) }

func (p *injection) add(s site) { p.sites = append(p.sites, s) }

func (a *attempt) environment(m sandbox.Manifest, p *injection) {
	for name, ev := range m.Environment.Values {
		if !ev.Secret.IsZero() && !ev.Secret.Literal() {
			a.envSite(name, ev.Secret.Ref(), p)
		}
	}
}

func (a *attempt) envSite(name string, ref secrets.Ref, p *injection) {
	grant, granted, rule := envGrant(a.policy, name, ref, a.refScope(), a.began)
	if rule == "" {
		p.add(siteOf(&grant, granted, "env:"+name))
	}
}

// bindingSites finds the text places that bindings fill. A place of type
// secrets.Value is not one of them: there the workflow names the secret.
func (a *attempt) bindingSites(args []any, p *injection) {
	for _, grant := range a.policy.InputGrants(a.scope.ActivityType) {
		at := grant.Input.String()
		ref, err := grant.Secret.RefFor(a.refScope())
		found, isValue, empty, foreign, unnamed := false, false, false, false, false
		_, editErr := editArgs(args, grant.Input, func(cur reflect.Value, want reflect.Type) (reflect.Value, error) {
			if isValueType(want) || cur.IsValid() && isValueType(cur.Type()) {
				isValue = true
				zero := isZeroValue(cur)
				empty = empty || grant.Literal != validation.LiteralRefuse && zero
				unnamed = unnamed || zero
				return cur, errNoChange
			}
			if m, ok := mapAt(cur); ok {
				named, isRef := secrets.RefFromMap(m)
				foreign = foreign || !isRef || named != ref
				found = true
				return cur, errNoChange
			}
			text, ok := asText(cur)
			if !ok {
				return cur, errNotText
			}
			if text != "" && text != placeholder(grant.Secret.Name) && grant.Literal == validation.LiteralRefuse {
				v := violation(validation.RuleLiteralInSecretField, at)
				v.Detail = "must be empty: a grant without literal binds a secret to it, and other text stands there"
				v.Fix = "add literal: replace (or strip) to the grant, so that the secret takes the place of the text, or send the field empty"
				p.violations = append(p.violations, v)
			}
			found = true
			return cur, errNoChange
		})
		switch {
		case isValue && !empty:
			if unnamed {
				p.unnamed = append(p.unnamed, site{ref: grant.Secret.Ref, input: grant.Input})
			}
		case err != nil:
			p.violations = append(p.violations, violation(validation.RuleSecretScope, at))
		case editErr != nil && !errors.Is(editErr, errNoChange):
			p.violations = append(p.violations, badPlace(editErr, at, entryKey(a.policy)))
		case foreign:
			p.violations = append(p.violations, violation(validation.RuleSecretNotGranted, at))
		case grant.Secret.Overdue(a.began):
			p.violations = append(p.violations, notGranted(validation.RuleSecretReviewOverdue, at, ref, a.policy, grant, "", ""))
		case found || empty:
			s := siteOf(&grant, ref, "activity:"+a.scope.ActivityType+at)
			s.input = grant.Input
			p.add(s)
			p.bindings = append(p.bindings, s)
		}
	}
}

// isZeroValue is true for a secrets.Value that names nothing. It is the workflow
// that names the secret there; only where the policy says that the place is
// filled whatever history holds does the worker name it, so that runs that began
// with an empty string go on when the field becomes a Value.
func isZeroValue(v reflect.Value) bool {
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return true
	}
	return reflect.Indirect(v).Interface().(secrets.Value).IsZero()
}

func isValueType(t reflect.Type) bool { return t == typeValue || t == reflect.PointerTo(typeValue) }

// badPlace is the violation of a binding whose place is not in the arguments.
func badPlace(err error, at, entry string) validation.Violation {
	if errors.Is(err, errNotText) {
		v := violation(validation.RuleWrongType, at)
		v.Detail = "must be text, bytes or a secrets.Value: a grant binds a secret to it"
		v.Fix = "correct to.input in " + entry + ".grants, or the type of the field"
		return v
	}
	v := violation(validation.RuleInputMissing, at)
	v.Detail = "must exist in the arguments: a grant binds a secret to it"
	v.Fix = "correct to.input in " + entry + ".grants: a JSON pointer into the encoded arguments, whose first segment is the argument's index"
	return v
}

func mapAt(v reflect.Value) (map[string]any, bool) {
	if !v.IsValid() || !v.CanInterface() {
		return nil, false
	}
	m, ok := v.Interface().(map[string]any)
	return m, ok && m != nil
}
