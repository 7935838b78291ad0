package interceptor

import (
	"errors"
	"maps"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// inject returns the arguments with the values in them, in copies of the paths
// that lead there.
func (a *attempt) inject(args []any, p *injection, values map[secrets.Ref]secrets.Value) ([]any, error) {
	if len(p.sites) == 0 {
		return args, nil
	}
	w := &walker{visitor: visitor{
		value: func(at place, v secrets.Value, _ bool) (secrets.Value, bool) {
			_, ref, rule := pickGrant(grantsAt(a.policy, a.scope.ActivityType, at), v.Ref(), a.refScope(), a.began)
			got, ok := values[ref]
			if rule != "" || !ok {
				return v, false
			}
			return got, true
		},
		manifest: func(_ place, m sandbox.Manifest, _ bool) (sandbox.Manifest, bool) { return a.injectManifest(m, values) },
		runConfig: func(_ place, rc sandbox.RunConfig, _ bool) (sandbox.RunConfig, bool) {
			return withManifests(rc, func(m sandbox.Manifest) (sandbox.Manifest, bool) { return a.injectManifest(m, values) })
		},
	}}
	out := w.values(args)
	out = a.eachInput(out, func(env map[string]any) map[string]any { return a.injectEnv(env, values) })
	for _, b := range p.bindings {
		got := values[b.ref]
		text, err := got.Reveal()
		if err != nil {
			return nil, a.unresolved(b.ref, secrets.ErrUnresolved)
		}
		edited, err := editArgs(out, b.input, func(cur reflect.Value, want reflect.Type) (reflect.Value, error) {
			if isValueType(want) {
				if !isZeroValue(cur) {
					return cur, errNoChange // the walk filled it
				}
				if want.Kind() == reflect.Pointer {
					return reflect.ValueOf(&got), nil
				}
				return reflect.ValueOf(got), nil
			}
			if want.Kind() == reflect.String && !utf8.ValidString(text) {
				return reflect.Value{}, errNotUTF8
			}
			return textAs(text, want)
		})
		if err != nil && !errors.Is(err, errNoChange) {
			v := violation(validation.RuleWrongType, b.input.String())
			if errors.Is(err, errNotUTF8) {
				v.Detail = "must be a field of bytes: the secret bound to it is not valid UTF-8"
				v.Fix = "bind a field of bytes, or store the secret as text"
			}
			return nil, a.refused([]validation.Violation{v}, nil)
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
	_, granted, rule := envGrant(a.policy, name, ref, a.refScope(), a.began)
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
