package interceptor

import (
	"reflect"
	"time"

	commonpb "go.temporal.io/api/common/v1"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
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

	// pinned is the policy of own where the caller has looked it up already: an
	// attempt is judged, resolved and cleaned under one policy, whatever is
	// reloaded meanwhile.
	pinned *pinnedPolicy

	// as says which names a refusal may show where it names a place: an attempt's
	// holder; nil stands for the workflow workflowID, where own is its queue.
	as *redact.Holder

	// activity is true where references may be resolved at the other end, so
	// that grants and bindings apply.
	activity bool
}

type pinnedPolicy struct {
	policy validation.Policy
	listed bool
}

func (c call) ownPolicy(g *guard) (validation.Policy, bool) {
	if c.pinned != nil {
		return c.pinned.policy, c.pinned.listed
	}
	return g.policyFor(c.namespace, c.own)
}

// A judgement holds the state of judging one call.
type judgement struct {
	g     *guard
	call  call
	sides []*side
	now   time.Time
	walk  *walker
	// done are places that policy's inputs already dealt with.
	done        []validation.Pointer
	guardData   bool
	destination bool           // a text field that chooses a destination is set
	open        bool           // a grant to this activity needs a fixed destination
	granted     bool           // and it applies
	as          *redact.Holder // see markers
}

// judge holds a call against the policies that govern it. It is pure but for
// reading the policy source, and never changes the call's arguments: what it
// normalises, it returns.
//
// Workflow code records its verdict and never computes it again on replay.
//
//workflowcheck:ignore
func (g *guard) judge(c call) (v verdict) {
	if c.activity && endsSession(c.args) {
		// What ends a session is not held up by what it carries. The rest of the call is
		// judged like any other.
		args := c.args
		c.args = nil
		v = g.judge(c)
		v.call.args, v.args = args, args
		return v
	}
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
	w := &walker{visitor: visitor{value: j.value, manifest: j.manifest, runConfig: j.runConfig, object: j.object, skip: j.isDone}, unsent: g.foreign.Load()}
	j.walk = w
	j.bindings(c.args)
	if j.open || j.looksAtText() {
		w.text = j.text
		w.search = j.search()
	}
	args := w.values(j.inputs(c.args))
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
	j.identifiers()
	j.hidePaths()
	v = verdict{call: j.call, args: args, sides: j.sides, guardData: j.guardData}
	if c.as == nil && c.own != "" {
		v.met = j.as
	}
	return v
}

func (g *guard) sidesOf(c call) []*side {
	var sides []*side
	if c.own != "" {
		p, ok := c.ownPolicy(g)
		sides = append(sides, &side{policy: p, listed: ok, queue: c.own, grants: c.activity && (c.to == "" || c.to == c.own)})
	}
	if c.to != "" && c.to != c.own {
		p, ok := g.policyFor(c.namespace, c.to)
		sides = append(sides, &side{policy: p, listed: ok, queue: c.to, grants: c.activity})
	}
	return sides
}

// bindings finds out whether a grant whose owner did not fix the destination puts
// a secret into text of these arguments. Fields of type secrets.Value are seen to
// by the walk, when they name a secret.
func (j *judgement) bindings(args []any) {
	if !j.call.activity {
		return
	}
	for _, s := range j.sides {
		if !s.grants || !s.listed {
			continue
		}
		for _, grant := range s.policy.InputGrants(j.call.name) {
			if grant.DestinationFixed {
				continue
			}
			j.open = true
			// The error says only that the place does not exist, which the worker
			// reports when it wants to bind it.
			_, _ = editArgs(args, grant.Input, func(cur reflect.Value, want reflect.Type) (reflect.Value, error) {
				if isValueType(want) || cur.IsValid() && isValueType(cur.Type()) {
					j.granted = j.granted || grant.Literal != validation.LiteralRefuse && isZeroValue(cur)
				} else {
					j.granted = true
				}
				return cur, errNoChange
			})
		}
	}
}

func (j *judgement) each(f func(*side)) {
	for _, s := range j.sides {
		f(s)
	}
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
		if j.guardData && s.queue == j.call.own && !s.policy.AllowsWorkflow(j.call.runType) {
			s.add(violation(validation.RuleWorkflowUnlisted, ""))
		}
	}
}

// hidePaths takes values out of the places that messages name: a map key may be
// one, and look like an ordinary word.
func (j *judgement) hidePaths() {
	if j.g.hidden.Len() == 0 {
		return
	}
	for _, s := range j.sides {
		for _, list := range [][]validation.Violation{s.found, s.noted, s.hard} {
			for i := range list {
				for _, text := range []*string{&list[i].Path, &list[i].Fix, &list[i].Detail} {
					*text, _ = j.markers().String(*text)
				}
			}
		}
	}
}

// markers are those of the job that reads a refusal. A client is no job.
func (j *judgement) markers() *redact.Holder {
	if j.as == nil {
		j.as = j.call.as
	}
	if j.as == nil {
		id := ""
		if j.call.own != "" {
			id = j.call.workflowID
		}
		j.as = j.g.viewOf(j.call.namespace, id)
	}
	return j.as
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
			s.add(notGranted(rule, at.String(), v.Ref(), s.policy, grant, j.call.name, at.String()))
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
