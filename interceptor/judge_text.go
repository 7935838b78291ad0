package interceptor

import (
	"reflect"
	"slices"

	"github.com/sandboxguard/sandboxguard/validation"
)

// looksAtText is false where no policy asks about credential-looking text.
func (j *judgement) looksAtText() bool { return j.g.hidden.Len() > 0 || j.literals() }

// literals is true where a policy asks about credential-looking text.
func (j *judgement) literals() bool {
	return slices.ContainsFunc(j.sides, func(s *side) bool { return s.listed && s.policy.Literals() != validation.LiteralsOff })
}

// search is what text acts on.
func (j *judgement) search() *search {
	return &search{hidden: j.g.hidden, literals: j.literals(), named: true, destinations: j.call.activity && j.open}
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
	if known {
		j.markers().String(s) // counts whose it is
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
	if len(s.found)+len(s.noted)+len(s.hard) >= maxFound || s.policy.LiteralAllowed(j.named(at), validation.RuleLiteralCredential) {
		return
	}
	v := s.policy.LiteralCredential(j.call.name, at, kind)
	if !j.call.activity {
		v.Fix = j.call.literalFix()
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

// maxFound bounds what is found in one call: text that somebody else chose must
// not make a finding of each of its lines.
const maxFound = 1024

// literalFix says what to do about a credential in a call that is no activity.
func (c call) literalFix() string {
	switch c.kind {
	case "error of activity", "error of workflow", "error of update", "heartbeat of activity":
		return "do not put the secret into the text; where literals are enforced it is hidden"
	case "result of activity", "result of workflow", "result of update", "answer of query":
		return "do not return the secret: return its name, or what was done with it"
	case "workflow", "workflow start", "child workflow", "schedule", "continue-as-new":
		return "leave the field empty where a grant binds it in the activity's input, or send the secret's name"
	}
	return "send the secret's name and let an activity get the secret"
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

// edited are the texts beside the arguments that travel as payloads: there the
// nets behind the hooks hide a value. All others are identifiers and notes.
var edited = map[string]bool{"summary": true, "details": true}

// identifiers refuses, in every mode and on every queue, a call that has a value
// of this worker's in a name. Nothing can hide it there, since an edited
// identifier breaks replay: it must not be sent.
func (j *judgement) identifiers() {
	if j.g.hidden.Len() == 0 || len(j.sides) == 0 {
		return
	}
	refuse := func(at string) {
		v := violation(validation.RuleLiteralCredential, at)
		v.Detail = "must not hold a secret that this worker resolves: names are not hidden"
		v.Fix = "make the name from something else"
		j.sides[0].hard = append(j.sides[0].hard, v)
	}
	if j.g.hidden.ContainsString(j.call.name) {
		j.call.name = "(hidden)"
		refuse("/name")
	}
	if j.g.hidden.ContainsString(j.call.to) {
		for _, s := range j.sides {
			if s.queue == j.call.to {
				s.queue = "(hidden)"
			}
		}
		j.call.to = "(hidden)"
		refuse("/task_queue")
	}
	if j.call.own == "" && j.g.hidden.ContainsString(j.call.workflowID) {
		refuse("/workflow_id")
	}
	for label, s := range j.call.texts {
		// The label of a header is its name, which the caller chose.
		if !edited[label] && (j.g.hidden.ContainsString(s) || j.g.hidden.ContainsString(label)) {
			refuse(place{{name: label}}.String())
		}
	}
	for label, keyed := range map[string]map[string]any{"/memo": j.call.memo, "/search_attributes": j.call.attributes} {
		for key := range keyed {
			if j.g.hidden.ContainsString(key) {
				refuse(label)
			}
		}
	}
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
