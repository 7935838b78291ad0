package interceptor

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// inputs normalises and judges the untyped places that policy names as run
// configs or manifests.
func (j *judgement) inputs(args []any) []any {
	if !j.call.activity {
		return args
	}
	for _, s := range j.sides {
		if !s.listed {
			continue
		}
		for _, in := range s.policy.Inputs(j.call.name) {
			args = j.input(s, in, args)
		}
	}
	return args
}

func (j *judgement) input(s *side, in validation.Input, args []any) []any {
	inner, err := validation.ParsePointer(in.Path)
	if err != nil {
		return args
	}
	at := append(validation.Pointer{strconv.Itoa(in.Argument)}, inner...)
	out, err := editArgs(args, at, func(cur reflect.Value, want reflect.Type) (reflect.Value, error) {
		if !cur.IsValid() || (cur.Kind() == reflect.Map || cur.Kind() == reflect.Pointer) && cur.IsNil() {
			return cur, errNoChange
		}
		if t := cur.Type(); t == typeManifest || t == typeRunConfig || t.Kind() == reflect.Pointer && (t.Elem() == typeManifest || t.Elem() == typeRunConfig) {
			return cur, errNoChange // typed: the walk deals with it
		}
		j.guardData = true
		canonical, ok := j.normalise(in.Kind == validation.KindRunConfig, cur.Interface(), placeOf(at))
		if !ok {
			return cur, errNoChange
		}
		j.done = append(j.done, at)
		return canonicalAs(canonical, want)
	})
	if err != nil && !errors.Is(err, errNoChange) {
		s.add(violation(validation.RuleInputMissing, at.String()))
		return args
	}
	return out
}

// canonicalAs returns a canonical map as what the place holds.
func canonicalAs(m any, want reflect.Type) (reflect.Value, error) {
	if reflect.TypeOf(m).AssignableTo(want) {
		return reflect.ValueOf(m), nil
	}
	if want == typeRawJSON {
		if data, err := json.Marshal(m); err == nil {
			return reflect.ValueOf(json.RawMessage(data)), nil
		}
	}
	return reflect.Value{}, errNoChange
}

// normalise judges a map as the run config or manifest that it stands for and
// returns its canonical map; ok is false when it has faults, which are recorded.
func (j *judgement) normalise(isRunConfig bool, v any, at place) (canonical any, ok bool) {
	j.walk.at = at
	if isRunConfig {
		rc, err := sandbox.NormalizeRunConfig(v)
		if err != nil {
			j.faults(err, at.String())
			return nil, false
		}
		j.judgeRunConfig(rc, at.String(), true)
		j.walk.textOfRunConfig(rc)
		return rc.ToMap(), true
	}
	m, err := sandbox.NormalizeManifest(v)
	if err != nil {
		j.faults(err, at.String())
		return nil, false
	}
	j.judgeManifest(m, at.String(), true)
	j.walk.textOfEntries(m)
	return m.ToMap(), true
}

// faults records what the decoders of package sandbox found.
func (j *judgement) faults(err error, at string) {
	vs, ok := validation.FaultViolations(err, at)
	if !ok {
		vs = []validation.Violation{violation(validation.RuleWrongType, at)}
	}
	j.each(func(s *side) { s.add(vs...) })
}

// isDone reports a place that policy's inputs named and that was dealt with.
func (j *judgement) isDone(at place) bool {
	for _, d := range j.done {
		if len(at) >= len(d) && at[:len(d)].matches(d) {
			return true
		}
	}
	return false
}

func (j *judgement) manifest(at place, m sandbox.Manifest, typed bool) (sandbox.Manifest, bool) {
	j.guardData = true
	j.untyped(at, typed, m)
	j.judgeManifest(m, at.String(), true)
	return m, false
}

func (j *judgement) runConfig(at place, rc sandbox.RunConfig, typed bool) (sandbox.RunConfig, bool) {
	j.guardData = true
	for _, held := range manifestsOf(rc) {
		j.untyped(at, typed, held.manifest)
	}
	j.judgeRunConfig(rc, at.String(), true)
	return rc, false
}

// untyped refuses references of a typed manifest in an untyped place.
func (j *judgement) untyped(at place, typed bool, m sandbox.Manifest) {
	if typed || j.isDone(at) {
		return
	}
	for _, ev := range m.Environment.Values {
		if !ev.Secret.IsZero() {
			j.each(func(s *side) {
				if s.listed {
					s.add(violation(validation.RuleSecretUntypedPlace, at.String()))
				}
			})
			return
		}
	}
}

// object meets a map under a key named sandbox or manifest. It is normalised and
// judged, and never resolved: a payload cannot make itself trusted by its shape.
func (j *judgement) object(at place, key string, v any) (any, bool) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	isManifest := key == "manifest" && sandbox.HasManifestKeys(m)
	isSandbox := key == "sandbox" && sandbox.HasSandboxKeys(m)
	if !isManifest && !isSandbox {
		return nil, false
	}
	if holdsValue(m) {
		return nil, false // the walk goes on and refuses the untyped place
	}
	j.guardData = true
	if isManifest {
		nm, err := sandbox.NormalizeManifest(m)
		if err != nil {
			j.faults(err, at.String())
			return nil, true
		}
		j.judgeManifest(nm, at.String(), false)
		j.walk.textOfEntries(nm)
		return nm.ToMap(), true
	}
	parent := at[:len(at)-1]
	rc, err := sandbox.NormalizeRunConfig(map[string]any{"sandbox": m})
	if err != nil {
		j.faults(err, parent.String())
		return nil, true
	}
	j.judgeRunConfig(rc, parent.String(), false)
	j.walk.at = parent
	j.walk.textOfRunConfig(rc)
	j.walk.at = at
	return rc.ToMap()["sandbox"], true
}

// holdsValue reports whether a typed secrets.Value lies anywhere below v.
func holdsValue(v any) bool {
	found := false
	w := &walker{visitor: visitor{value: func(_ place, val secrets.Value, _ bool) (secrets.Value, bool) {
		found = true
		return val, false
	}}}
	w.any(v, "")
	return found
}

func (j *judgement) judgeRunConfig(rc sandbox.RunConfig, at string, resolvable bool) {
	j.each(func(s *side) {
		if s.listed {
			s.add(structural(s.policy.CheckRunConfig(rc, j.named(at)))...)
		}
	})
	for _, held := range manifestsOf(rc) {
		j.environment(held.manifest, at+held.at, resolvable)
	}
}

func (j *judgement) judgeManifest(m sandbox.Manifest, at string, resolvable bool) {
	j.each(func(s *side) {
		if s.listed {
			s.add(structural(s.policy.CheckManifest(m, j.named(at)))...)
		}
	})
	j.environment(m, at, resolvable)
}

// named is a place as allow_literals names it: below what the call is called.
func (j *judgement) named(at string) string {
	return escaped.Replace(j.call.name) + at
}

// structural leaves out what only the side that resolves has a say in: grants.
// A queue that passes a manifest on need not hold the rights of the one that
// runs it.
func structural(vs []validation.Violation) []validation.Violation {
	return slices.DeleteFunc(vs, func(v validation.Violation) bool { return v.Rule == validation.RuleSecretNotGranted })
}

// environment holds each reference of a manifest's environment against the
// grants of the side that would resolve it.
func (j *judgement) environment(m sandbox.Manifest, at string, resolvable bool) {
	if !resolvable || !j.call.activity {
		return
	}
	var names []string // sorted, for the first that is shown
	shown := func(name string) string {
		if names == nil {
			names = slices.Sorted(maps.Keys(m.Environment.Values))
		}
		i, _ := slices.BinarySearch(names, name)
		return validation.SafeSegment(name, i)
	}
	for name, ev := range m.Environment.Values {
		if ev.Secret.IsZero() {
			continue
		}
		for _, s := range j.sides {
			if !s.grants || !s.listed {
				continue
			}
			if ev.Secret.Literal() {
				s.add(violation(validation.RuleLiteralInSecretField, at+"/environment/value/"+shown(name)))
				continue
			}
			grant, _, rule := envGrant(s.policy, name, ev.Secret.Ref(), j.scope(s), j.now)
			if rule != "" {
				s.add(notGranted(rule, at+"/environment/value/"+shown(name), ev.Secret.Ref(), s.policy, grant, "env", shown(name)))
			}
		}
	}
}
