package interceptor

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/internal/mint"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/validation"
)

// A site is one granted place that gets a value.
type site struct {
	ref         secrets.Ref
	grant       validation.Grant
	destination string // "env:NAME", "activity:Type/0/token"
}

// An injection is what an attempt needs: where, and what is wrong with it.
type injection struct {
	sites      []site
	bindings   []site // text places that a binding fills; a subset of sites
	violations []validation.Violation
}

// rights are the rules that refuse whatever the mode: report mode lets
// structural violations pass, never a secret.
var rights = []string{
	validation.RuleSecretNotGranted, validation.RuleSecretReviewOverdue, validation.RuleSecretScope,
	validation.RuleLiteralInSecretField, validation.RuleQueueUnlisted,
}

// refuse returns the error of a verdict that stops the attempt.
func (a *attempt) refuse(v verdict) error {
	vs, s := v.refused()
	for _, sd := range v.sides {
		for _, f := range sd.found {
			if slices.Contains(rights, f.Rule) && !slices.ContainsFunc(vs, func(o validation.Violation) bool { return o == f }) {
				vs = append(vs, f)
				if s == nil {
					s = sd
				}
			}
		}
	}
	if len(vs) == 0 {
		return nil
	}
	return a.refused(tidy(vs), s)
}

func (a *attempt) refused(vs []validation.Violation, s *side) error {
	if s == nil {
		s = &side{policy: a.policy, queue: a.queue, listed: a.listed}
	}
	countRefusals(a.metrics, a.queue, s.policy.Mode(), vs)
	ref := refusalOf("activity "+a.info.ActivityType.Name+" on queue "+quote(a.queue)+" refused, it was not run", vs, s)
	a.deny(ref)
	errorType := ErrorTypePolicyViolation
	if slices.ContainsFunc(vs, func(v validation.Violation) bool {
		return v.Rule == validation.RuleSecretNotGranted || v.Rule == validation.RuleSecretReviewOverdue || v.Rule == validation.RuleSecretScope
	}) {
		errorType = ErrorTypeSecretNotGranted
	}
	return ref.err(errorType)
}

func (p *injection) problem(a *attempt) error {
	if len(p.violations) == 0 {
		return nil
	}
	return a.refused(tidy(p.violations), nil)
}

func (a *attempt) refScope() validation.RefScope {
	return validation.RefScope{Namespace: a.scope.Namespace, TaskQueue: a.queue, WorkflowID: a.scope.WorkflowID}
}

// places finds every granted place in judged arguments, bindings included.
func (a *attempt) places(args []any) *injection {
	p := &injection{}
	if !a.listed {
		return p
	}
	w := &walker{visitor: visitor{
		value: func(at place, v secrets.Value, _ bool) (secrets.Value, bool) {
			grant, ref, rule := pickGrant(grantsAt(a.policy, a.scope.ActivityType, at), v.Ref(), a.refScope(), a.g.now())
			if rule == "" && !v.Literal() {
				p.add(site{ref: ref, grant: grant, destination: "activity:" + a.scope.ActivityType + at.String()})
			}
			return v, false
		},
		manifest: func(_ place, m sandbox.Manifest, _ bool) (sandbox.Manifest, bool) {
			a.environment(m, p)
			return m, false
		},
		runConfig: func(_ place, rc sandbox.RunConfig, _ bool) (sandbox.RunConfig, bool) {
			if rc.Sandbox != nil && rc.Sandbox.Manifest != nil {
				a.environment(*rc.Sandbox.Manifest, p)
			}
			return rc, false
		},
	}}
	w.values(args)
	a.eachInput(args, func(env map[string]any) map[string]any {
		for name, form := range env {
			if ref, ok := envRef(form); ok {
				a.envSite(name, ref, p)
			}
		}
		return nil
	})
	a.bindingSites(args, p)
	return p
}

func (p *injection) add(s site) { p.sites = append(p.sites, s) }

func (a *attempt) environment(m sandbox.Manifest, p *injection) {
	for name, ev := range m.Environment.Values {
		if !ev.Secret.IsZero() && !ev.Secret.Literal() {
			a.envSite(name, ev.Secret.Ref(), p)
		}
	}
}

func (a *attempt) envSite(name string, ref secrets.Ref, p *injection) {
	grant, granted, rule := envGrant(a.policy, name, ref, a.refScope(), a.g.now())
	if rule == "" {
		p.add(site{ref: granted, grant: grant, destination: "env:" + name})
	}
}

// bindingSites finds the text places that bindings fill. A place of type
// secrets.Value is not one of them: there the workflow names the secret.
func (a *attempt) bindingSites(args []any, p *injection) {
	for _, grant := range a.policy.InputGrants(a.scope.ActivityType) {
		at := grant.Input.String()
		ref, err := grant.Secret.RefFor(a.refScope())
		found, isValue, foreign := false, false, false
		_, editErr := editArgs(args, grant.Input, func(cur reflect.Value, want reflect.Type) (reflect.Value, error) {
			if want == typeValue || cur.IsValid() && cur.Type() == typeValue {
				isValue = true
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
				p.violations = append(p.violations, violation(validation.RuleLiteralInSecretField, at))
			}
			found = true
			return cur, errNoChange
		})
		switch {
		case isValue:
		case err != nil:
			p.violations = append(p.violations, violation(validation.RuleSecretScope, at))
		case editErr != nil && !errors.Is(editErr, errNoChange):
			rule := validation.RuleInputMissing
			if errors.Is(editErr, errNotText) {
				rule = validation.RuleWrongType
			}
			p.violations = append(p.violations, violation(rule, at))
		case foreign:
			p.violations = append(p.violations, violation(validation.RuleSecretNotGranted, at))
		case grant.Secret.Overdue(a.g.now()):
			p.violations = append(p.violations, notGranted(validation.RuleSecretReviewOverdue, at, a.policy, grant, "", ""))
		case found:
			s := site{ref: ref, grant: grant, destination: "activity:" + a.scope.ActivityType + at}
			p.add(s)
			p.bindings = append(p.bindings, s)
		}
	}
}

func mapAt(v reflect.Value) (map[string]any, bool) {
	if !v.IsValid() || !v.CanInterface() {
		return nil, false
	}
	m, ok := v.Interface().(map[string]any)
	return m, ok && m != nil
}

// inject returns the arguments with the values in them, in copies of the paths
// that lead there.
func (a *attempt) inject(args []any, p *injection, values map[secrets.Ref]secrets.Value) ([]any, error) {
	if len(p.sites) == 0 {
		return args, nil
	}
	w := &walker{visitor: visitor{
		value: func(at place, v secrets.Value, _ bool) (secrets.Value, bool) {
			_, ref, rule := pickGrant(grantsAt(a.policy, a.scope.ActivityType, at), v.Ref(), a.refScope(), a.g.now())
			got, ok := values[ref]
			if rule != "" || !ok {
				return v, false
			}
			return got, true
		},
		manifest: func(_ place, m sandbox.Manifest, _ bool) (sandbox.Manifest, bool) { return a.injectManifest(m, values) },
		runConfig: func(_ place, rc sandbox.RunConfig, _ bool) (sandbox.RunConfig, bool) {
			if rc.Sandbox == nil || rc.Sandbox.Manifest == nil {
				return rc, false
			}
			m, changed := a.injectManifest(*rc.Sandbox.Manifest, values)
			if changed {
				box := *rc.Sandbox
				box.Manifest, rc.Sandbox = &m, &box
			}
			return rc, changed
		},
	}}
	out := w.values(args)
	out = a.eachInput(out, func(env map[string]any) map[string]any { return a.injectEnv(env, values) })
	for _, b := range p.bindings {
		text, err := values[b.ref].Reveal()
		if err != nil {
			return nil, a.unresolved(b.ref, secrets.ErrUnresolved)
		}
		edited, err := editArgs(out, b.grant.Input, func(_ reflect.Value, want reflect.Type) (reflect.Value, error) {
			return textAs(text, want)
		})
		if err != nil {
			return nil, a.refused([]validation.Violation{violation(validation.RuleWrongType, b.grant.Input.String())}, nil)
		}
		out = edited
	}
	return out, nil
}

func (a *attempt) injectManifest(m sandbox.Manifest, values map[secrets.Ref]secrets.Value) (sandbox.Manifest, bool) {
	var env map[string]sandbox.EnvValue
	for name, ev := range m.Environment.Values {
		ref, granted := a.envGranted(name, ev.Secret.Ref())
		got, ok := values[ref]
		if !granted || !ok {
			continue
		}
		if env == nil {
			env = maps.Clone(m.Environment.Values)
		}
		ev.Secret = got
		env[name] = ev
	}
	if env == nil {
		return m, false
	}
	m.Environment.Values = env
	return m, true
}

// envGranted returns the reference that is resolved for a variable.
func (a *attempt) envGranted(name string, ref secrets.Ref) (secrets.Ref, bool) {
	_, granted, rule := envGrant(a.policy, name, ref, a.refScope(), a.g.now())
	return granted, rule == ""
}

// injectEnv is injectManifest for the map form: a reference becomes the literal
// form that an activity written against maps reads.
func (a *attempt) injectEnv(env map[string]any, values map[secrets.Ref]secrets.Value) map[string]any {
	var out map[string]any
	for name, form := range env {
		named, ok := envRef(form)
		ref, granted := a.envGranted(name, named)
		if !ok || !granted {
			continue
		}
		text, err := values[ref].Reveal()
		if err != nil {
			continue
		}
		if out == nil {
			out = maps.Clone(env)
		}
		if entry, isEntry := form.(map[string]any); isEntry && entry["type"] == nil {
			entry = maps.Clone(entry)
			entry["value"] = map[string]any{"type": "str", "value": text}
			out[name] = entry
		} else {
			out[name] = text
		}
	}
	return out
}

// envRef reads the reference in one member of an environment in map form.
func envRef(form any) (secrets.Ref, bool) {
	m, ok := form.(map[string]any)
	if !ok {
		return secrets.Ref{}, false
	}
	if ref, ok := secrets.RefFromMap(m); ok {
		return ref, true
	}
	inner, ok := m["value"].(map[string]any)
	if !ok || m["type"] != nil {
		return secrets.Ref{}, false
	}
	return secrets.RefFromMap(inner)
}

// eachInput visits the environment map of every untyped manifest that policy
// names, and returns the arguments with what f returned in its place; nil leaves
// it alone.
func (a *attempt) eachInput(args []any, f func(env map[string]any) map[string]any) []any {
	for _, in := range a.policy.Inputs(a.scope.ActivityType) {
		inner, err := validation.ParsePointer(in.Path)
		if err != nil {
			continue
		}
		at := append(validation.Pointer{strconv.Itoa(in.Argument)}, inner...)
		if in.Kind == validation.KindRunConfig {
			at = append(at, "sandbox", "manifest")
		}
		at = append(at, "environment", "value")
		out, err := editArgs(args, at, func(cur reflect.Value, want reflect.Type) (reflect.Value, error) {
			env, ok := mapAt(cur)
			if !ok || want == reflect.TypeFor[map[string]sandbox.EnvValue]() {
				return cur, errNoChange
			}
			if next := f(env); next != nil {
				return reflect.ValueOf(next), nil
			}
			return cur, errNoChange
		})
		if err == nil {
			args = out
		}
	}
	return args
}

// resolveAll asks the provider once for each reference, after the audit sink
// took the record, and hides the value before anybody gets it.
func (a *attempt) resolveAll(ctx context.Context, p *injection) (map[secrets.Ref]secrets.Value, error) {
	values := make(map[secrets.Ref]secrets.Value, len(p.sites))
	for _, s := range p.sites {
		if _, ok := values[s.ref]; !ok {
			v, err := a.resolve(ctx, s)
			if err != nil {
				return nil, err
			}
			values[s.ref] = v
		}
		if err := a.grantRecord(ctx, audit.ActionInject, s, values[s.ref]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (a *attempt) resolve(ctx context.Context, s site) (secrets.Value, error) {
	if err := a.grantRecord(ctx, audit.ActionResolve, s, secrets.Value{}); err != nil {
		return secrets.Value{}, err
	}
	scope := a.scope
	scope.Destination = s.destination
	res, err := a.g.callResolver(ctx, secrets.NewRequest(mint.Guard(), s.ref, scope))
	if err != nil {
		if ctx.Err() != nil {
			return secrets.Value{}, ctx.Err()
		}
		if secrets.Retryable(err) {
			return secrets.Value{}, a.unavailable(s.ref.String())
		}
		return secrets.Value{}, a.unresolved(s.ref, err)
	}
	text := res.Reveal(mint.Guard())
	if err := checkValue(text, s.destination); err != nil {
		return secrets.Value{}, a.unresolved(s.ref, err)
	}
	if err := a.g.hide(s.grant.Secret.Name, s.ref, text); err != nil {
		return secrets.Value{}, a.tooShort(s.ref)
	}
	a.metrics.WithTags(map[string]string{"queue": a.queue}).Counter(metricResolves).Inc(1)
	return secrets.Resolved(mint.Guard(), s.ref, res), nil
}

// checkValue holds every resolver, also a custom one, to the rules for values.
func checkValue(text, destination string) error {
	switch {
	case text == "":
		return secrets.ErrEmpty
	case len(text) > secrets.MaxValueSize:
		return secrets.ErrTooLarge
	case strings.HasPrefix(destination, "env:") && strings.ContainsRune(text, 0):
		return secrets.ErrInvalid
	}
	return nil
}

// callResolver calls a resolver that may be somebody else's code: a panic in it
// is an outage, and its text goes nowhere.
func (g *guard) callResolver(ctx context.Context, req secrets.Request) (res secrets.Resolution, err error) {
	defer func() {
		if recover() != nil {
			res, err = secrets.Resolution{}, secrets.ErrUnavailable
		}
	}()
	return g.resolver.Resolve(ctx, req)
}

// hide registers a value under the name that its marker shows.
func (g *guard) hide(name string, ref secrets.Ref, value string) error {
	if name == "" {
		name = ref.String()
	}
	err := g.hidden.Add(name, value)
	if err == nil {
		return nil
	}
	if g.allowShort[name] || g.allowShort[ref.String()] {
		g.hidden.AddShort(name, value)
		return nil
	}
	return err
}

// grantRecord writes the record of a granting act before the act. When that
// fails the act does not happen, and is tried again.
func (a *attempt) grantRecord(ctx context.Context, action audit.Action, s site, v secrets.Value) error {
	r := a.record(action, audit.OutcomeOK)
	r.Ref, r.Secret, r.Owner, r.Destination = s.ref.String(), s.grant.Secret.Name, s.grant.Secret.Owner, s.destination
	_ = v
	if err := writeRecord(ctx, a.g.sink, r); err != nil {
		return temporal.NewApplicationError(ErrorTypeAuditUnavailable+": activity "+a.info.ActivityType.Name+
			" was not run, the audit sink did not take the record of a secret (retryable)\n  fix: restore the audit sink", ErrorTypeAuditUnavailable)
	}
	return nil
}

// withGetter lets the activity ask for a secret by itself, under the same rules.
func (a *attempt) withGetter(ctx context.Context) context.Context {
	return secrets.WithGetter(mint.Guard(), ctx, func(ctx context.Context, ref secrets.Ref) (secrets.Value, error) {
		if a.inside != "" {
			return secrets.Value{}, a.insideErr()
		}
		var grant validation.Grant
		var granted secrets.Ref
		rule := validation.RuleQueueUnlisted
		if a.listed {
			grant, granted, rule = pickGrant(a.policy.InputGrants(a.scope.ActivityType), ref, a.refScope(), a.g.now())
		}
		if rule != "" {
			v := notGranted(rule, "", a.policy, grant, a.scope.ActivityType, "")
			return secrets.Value{}, a.refused([]validation.Violation{v}, nil)
		}
		s := site{ref: granted, grant: grant, destination: "get:" + a.scope.ActivityType}
		v, err := a.resolve(ctx, s)
		if err != nil {
			return secrets.Value{}, err
		}
		if err := a.grantRecord(ctx, audit.ActionInject, s, v); err != nil {
			return secrets.Value{}, err
		}
		return v, nil
	})
}
