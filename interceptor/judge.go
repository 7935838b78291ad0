package interceptor

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	commonpb "go.temporal.io/api/common/v1"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// A call is something that is about to leave: for history, from workflow code or
// a client, or for an activity, from the worker.
type call struct {
	kind      string // "activity", "child workflow", "signal": what messages call it
	name      string // activity or workflow type, signal name
	namespace string
	own       string // the queue whose history holds the call; empty on a client that does not know it
	to        string // the queue that receives it
	// runType and workflowID are those of the workflow that makes the call.
	runType, workflowID string

	args []any
	// texts are strings that travel beside the arguments: summaries, ids, notes.
	texts map[string]string
	memo  map[string]any
	// attributes are search attributes, in either form.
	attributes map[string]any
	headers    map[string]*commonpb.Payload

	// activity is true where references may be resolved at the other end, so
	// that grants and bindings apply.
	activity bool
}

// A side is one of the policies that govern a call.
type side struct {
	policy validation.Policy
	queue  string
	listed bool
	// grants is true for the side whose worker would resolve.
	grants bool
	// found follows the policy's mode, noted is only ever reported, hard always
	// refuses: `literals` has a switch of its own.
	found, noted, hard []validation.Violation
}

// A verdict is what became of a call.
type verdict struct {
	call  call
	args  []any // to use instead of the call's
	sides []*side
	// guardData is true when the call carried a reference, a manifest or a run
	// config.
	guardData bool
}

// refused returns the violations that stop the call, and the side they belong
// to; nil when it may go.
func (v verdict) refused() ([]validation.Violation, *side) {
	var all []validation.Violation
	var first *side
	for _, s := range v.sides {
		stops := s.hard
		if s.enforces() {
			stops = append(slices.Clone(s.hard), s.found...)
		}
		if len(stops) > 0 {
			all = append(all, stops...)
			if first == nil {
				first = s
			}
		}
	}
	return tidy(all), first
}

// reported returns what a side found and lets pass.
func (s *side) reported() []validation.Violation {
	all := slices.Clone(s.noted)
	if !s.enforces() {
		all = append(all, s.found...)
	}
	return tidy(all)
}

// enforces is true unless the side's policy says report: an unlisted queue and a
// mode that nobody set deny.
func (s *side) enforces() bool { return !s.listed || s.policy.Mode() != validation.ModeReport }

func (s *side) add(v ...validation.Violation) { s.found = append(s.found, v...) }

func tidy(vs []validation.Violation) []validation.Violation {
	var e *validation.Error
	if errors.As(validation.NewError(vs), &e) {
		return e.Violations
	}
	return nil
}

// A judgement holds the state of judging one call.
type judgement struct {
	g     *guard
	call  call
	sides []*side
	now   time.Time
	// done are places that policy's inputs already dealt with.
	done        []validation.Pointer
	guardData   bool
	destination bool // a text field that chooses a destination is set
	granted     bool // a grant applies that needs a fixed destination
}

// judge holds a call against the policies that govern it. It is pure but for
// reading the policy source, and never changes the call's arguments: what it
// normalises, it returns.
func (g *guard) judge(c call) (v verdict) {
	j := &judgement{g: g, call: c, now: g.now()}
	j.sides = g.sidesOf(c)
	defer func() {
		// What cannot be looked at is refused: a String or MarshalJSON of the
		// user's that panics must not open a way around the guard.
		if recover() != nil {
			j.each(func(s *side) { s.hard = []validation.Violation{violation(validation.RuleWrongType, "")} })
			v = verdict{call: c, args: c.args, sides: j.sides, guardData: true}
		}
	}()
	args := j.inputs(c.args)

	w := &walker{visitor: visitor{value: j.value, manifest: j.manifest, runConfig: j.runConfig, object: j.object}}
	if j.looksAtText() {
		w.text = j.text
	}
	args = w.values(args)
	j.extras(w)
	if w.tooDeep {
		j.each(func(s *side) { s.add(violation(validation.RuleManifestSize, "")) })
	}
	if j.granted && j.destination {
		j.each(func(s *side) {
			if s.grants {
				s.add(violation(validation.RuleDestinationNotFixed, ""))
			}
		})
	}
	args = j.strip(args)
	j.ownership()
	return verdict{call: c, args: args, sides: j.sides, guardData: j.guardData}
}

func (g *guard) sidesOf(c call) []*side {
	var sides []*side
	if c.own != "" {
		p, ok := g.policyFor(c.namespace, c.own)
		sides = append(sides, &side{policy: p, listed: ok, queue: c.own, grants: c.activity && (c.to == "" || c.to == c.own)})
	}
	if c.to != "" && c.to != c.own {
		p, ok := g.policyFor(c.namespace, c.to)
		sides = append(sides, &side{policy: p, listed: ok, queue: c.to, grants: c.activity})
	}
	return sides
}

func (j *judgement) each(f func(*side)) {
	for _, s := range j.sides {
		f(s)
	}
}

// looksAtText is false where no policy asks about credential-looking text.
func (j *judgement) looksAtText() bool {
	if j.g.hidden.Len() > 0 {
		return true
	}
	for _, s := range j.sides {
		if s.listed && s.policy.Literals() != validation.LiteralsOff {
			return true
		}
	}
	return false
}

// ownership turns what was found into the verdict on queues and workflow types:
// a call without guard data passes where nobody wrote a policy.
func (j *judgement) ownership() {
	for _, s := range j.sides {
		if !s.listed {
			s.found, s.noted, s.hard = nil, nil, nil
			if j.guardData {
				s.add(violation(validation.RuleQueueUnlisted, ""))
			}
			continue
		}
		if j.guardData && j.call.runType != "" && s.queue == j.call.own && !s.policy.AllowsWorkflow(j.call.runType) {
			s.add(violation(validation.RuleWorkflowUnlisted, ""))
		}
	}
}

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
		j.done = append(j.done, at)
		canonical, ok := j.normalise(in.Kind == validation.KindRunConfig, cur.Interface(), at.String())
		if !ok {
			return cur, errNoChange
		}
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
func (j *judgement) normalise(isRunConfig bool, v any, at string) (canonical any, ok bool) {
	if isRunConfig {
		rc, err := sandbox.NormalizeRunConfig(v)
		if err != nil {
			j.faults(err, at)
			return nil, false
		}
		j.judgeRunConfig(rc, at, true)
		return rc.ToMap(), true
	}
	m, err := sandbox.NormalizeManifest(v)
	if err != nil {
		j.faults(err, at)
		return nil, false
	}
	j.judgeManifest(m, at, true)
	return m.ToMap(), true
}

func (j *judgement) faults(err error, at string) {
	var e *sandbox.Error
	if !errors.As(err, &e) {
		j.each(func(s *side) { s.add(violation(validation.RuleWrongType, at)) })
		return
	}
	for _, f := range e.Faults {
		v := violation(f.Rule, at+f.Path)
		if f.Detail != "" {
			v.Detail = f.Detail
		}
		j.each(func(s *side) { s.add(v) })
	}
}

func (j *judgement) isDone(at place) bool {
	for _, d := range j.done {
		if len(at) >= len(d) && d.Match(at[:len(d)].segments()) {
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
	if rc.Sandbox != nil && rc.Sandbox.Manifest != nil {
		j.untyped(at, typed, *rc.Sandbox.Manifest)
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
	if j.isDone(at) {
		return nil, true
	}
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
		return nm.ToMap(), true
	}
	rc, err := sandbox.NormalizeRunConfig(map[string]any{"sandbox": m})
	if err != nil {
		j.faults(err, parentOf(at))
		return nil, true
	}
	j.judgeRunConfig(rc, parentOf(at), false)
	return rc.ToMap()["sandbox"], true
}

func parentOf(at place) string { return at[:len(at)-1].String() }

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
			s.add(s.policy.CheckRunConfig(rc, at)...)
		}
	})
	if rc.Sandbox != nil && rc.Sandbox.Manifest != nil {
		j.environment(*rc.Sandbox.Manifest, at+"/sandbox/manifest", resolvable)
	}
}

func (j *judgement) judgeManifest(m sandbox.Manifest, at string, resolvable bool) {
	j.each(func(s *side) {
		if s.listed {
			s.add(s.policy.CheckManifest(m, at)...)
		}
	})
	j.environment(m, at, resolvable)
}

// environment holds each reference of a manifest's environment against the
// grants of the side that would resolve it.
func (j *judgement) environment(m sandbox.Manifest, at string, resolvable bool) {
	if !resolvable || !j.call.activity {
		return
	}
	for i, name := range slices.Sorted(maps.Keys(m.Environment.Values)) {
		ev := m.Environment.Values[name]
		if ev.Secret.IsZero() {
			continue
		}
		shown := validation.SafeSegment(name, i)
		where := at + "/environment/value/" + shown
		j.each(func(s *side) {
			if !s.grants || !s.listed {
				return
			}
			if ev.Secret.Literal() {
				s.add(violation(validation.RuleLiteralInSecretField, where))
				return
			}
			grant, _, rule := envGrant(s.policy, name, ev.Secret.Ref(), j.scope(s), j.now)
			if rule != "" {
				s.add(notGranted(rule, where, s.policy, grant, "env", shown))
			}
		})
	}
}

func (j *judgement) scope(s *side) validation.RefScope {
	return validation.RefScope{Namespace: j.call.namespace, TaskQueue: s.queue, WorkflowID: j.call.workflowID}
}

// value meets a secrets.Value in the arguments.
func (j *judgement) value(at place, v secrets.Value, typed bool) (secrets.Value, bool) {
	j.guardData = true
	out, changed := v, false
	for _, s := range j.sides {
		if !s.listed {
			continue
		}
		if !j.call.activity {
			if !typed {
				s.add(violation(validation.RuleSecretUntypedPlace, at.String()))
			}
			continue
		}
		if !s.grants {
			if !typed && !j.boundAnywhere(at) {
				s.add(violation(validation.RuleSecretUntypedPlace, at.String()))
			}
			continue
		}
		bound := grantsAt(s.policy, j.call.name, at)
		if !typed && len(bound) == 0 {
			s.add(violation(validation.RuleSecretUntypedPlace, at.String()))
			continue
		}
		if v.Literal() {
			if len(bound) == 0 {
				s.add(violation(validation.RuleLiteralInSecretField, at.String()))
				continue
			}
			if ref, err := bound[0].Secret.RefFor(j.scope(s)); err == nil {
				out, changed = v.WithRef(ref), true
			} else {
				s.add(violation(validation.RuleSecretScope, at.String()))
			}
			continue
		}
		grant, _, rule := pickGrant(bound, v.Ref(), j.scope(s), j.now)
		if rule != "" {
			s.add(notGranted(rule, at.String(), s.policy, grant, j.call.name, at.String()))
			continue
		}
		if !grant.DestinationFixed {
			j.granted = true
		}
	}
	return out, changed
}

func (j *judgement) boundAnywhere(at place) bool {
	for _, s := range j.sides {
		if s.listed && s.grants && len(grantsAt(s.policy, j.call.name, at)) > 0 {
			return true
		}
	}
	return false
}

// text meets a string in the arguments.
func (j *judgement) text(at place, key, s string) {
	if j.call.activity && s != "" && validation.DestinationField(key) {
		j.destination = true
	}
	kind := credentialKind(key, s)
	known := j.g.hidden.ContainsString(s)
	if known {
		kind = knownKind
	}
	if kind == "" || j.overwritten(at) {
		return
	}
	for _, sd := range j.sides {
		if sd.listed && (known || sd.policy.Literals() != validation.LiteralsOff) {
			j.literal(sd, at.String(), kind)
		}
	}
}

// knownKind is what messages call text that holds a value which this worker has
// resolved. It is never sent: where a queue only reports, the nets behind the
// hooks hide it, and the report says which field to bind.
const knownKind = "secret that this worker resolves"

// literal records credential-looking text unless the policy allows it there. In
// a queue that enforces, literals may still only be reported.
func (j *judgement) literal(s *side, at, kind string) {
	if s.policy.LiteralAllowed(j.call.name+at, validation.RuleLiteralCredential) {
		return
	}
	v := s.policy.LiteralCredential(j.call.name, at, kind)
	if !j.call.activity {
		v.Fix = "send the secret's name and let an activity get the secret"
	}
	switch s.policy.Literals() {
	case validation.LiteralsReport:
		s.noted = append(s.noted, v)
	case validation.LiteralsOff: // only a known value gets here
		s.add(v)
	case validation.LiteralsEnforce:
		s.hard = append(s.hard, v)
	}
}

// overwritten reports whether a binding replaces what stands at the place.
func (j *judgement) overwritten(at place) bool {
	if !j.call.activity {
		return false
	}
	for _, sd := range j.sides {
		if !sd.grants || !sd.listed {
			continue
		}
		for _, grant := range grantsAt(sd.policy, j.call.name, at) {
			if grant.Literal != validation.LiteralRefuse {
				return true
			}
		}
	}
	return false
}

// credentialKind names the form of credential that s has, or "".
func credentialKind(key, s string) string {
	if len(s) < 8 {
		return ""
	}
	var found []validation.Finding
	if key != "" {
		found = validation.DetectNamed(key, s)
	} else {
		found = validation.DetectCredentials(s)
	}
	if len(found) == 0 {
		return ""
	}
	return found[0].Kind
}

// extras judges what travels beside the arguments.
func (j *judgement) extras(w *walker) {
	if w.text != nil {
		for label, s := range j.call.texts {
			w.at = append(w.at[:0], step{name: label})
			w.text(w.at, "", s)
		}
		for key, p := range j.call.headers {
			w.at = append(w.at[:0], step{name: "header"}, step{name: key, keys: reflect.ValueOf(j.call.headers)})
			w.textOfPayload(p, key)
		}
	}
	if len(j.call.memo) > 0 {
		w.at = append(w.at[:0], step{name: "memo"})
		w.walk(reflect.ValueOf(j.call.memo), "", true)
	}
	if len(j.call.attributes) > 0 {
		w.at = append(w.at[:0], step{name: "search_attributes"})
		w.walk(reflect.ValueOf(j.call.attributes), "", true)
	}
	w.at = w.at[:0]
}

// strip writes the secret's name over bound text whose grant says so, so that a
// literal that an old run still carries is in no event after the start.
func (j *judgement) strip(args []any) []any {
	for _, s := range j.sides {
		if !s.grants || !s.listed {
			continue
		}
		for _, grant := range s.policy.InputGrants(j.call.name) {
			if grant.Literal != validation.LiteralStrip {
				continue
			}
			out, err := editArgs(args, grant.Input, func(cur reflect.Value, want reflect.Type) (reflect.Value, error) {
				text, ok := asText(cur)
				if !ok || text == "" {
					return cur, errNoChange
				}
				return textAs(placeholder(grant.Secret.Name), want)
			})
			if err == nil {
				args = out
			}
		}
	}
	return args
}
