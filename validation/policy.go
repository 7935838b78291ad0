package validation

import (
	"maps"
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// Policy is the policy of one queue. It is immutable, as small as a pointer and
// safe for concurrent use. The zero Policy denies everything. The slices that its
// methods return must not be changed.
type Policy struct {
	queue *queuePolicy
}

// queuePolicy is a compiled entry.
type queuePolicy struct {
	entry         string
	section       string // where the entry stands, for messages
	mode          Mode
	literals      LiteralsMode
	digest        string
	workflows     []string
	anyWorkflow   bool // the entry lists no workflows at all
	inputs        map[string][]Input
	inputGrants   map[string][]Grant
	askGrants     map[string][]Grant
	envGrants     map[string][]Grant
	redact        []secrets.Ref
	allowLiterals []allowedLiteral
	sandbox       sandboxPolicy
	limits        sandbox.Limits
}

// sandboxPolicy is what a manifest may hold. The zero sandboxPolicy allows
// nothing.
type sandboxPolicy struct {
	backends    []string
	entries     []string
	localRoots  map[string]string
	envLiterals map[string]bool
	pathGrants  []pathGrant
}

// pathGrant is a path inside the sandbox that manifests may ask for.
type pathGrant struct {
	path     string
	readOnly bool
}

// LocalRoots returns the directories of the worker's host that the entries local_file and local_dir may name, as
// root:relative, by the name of the root. It is what the options of a backend for local sandboxes take. The map is the
// caller's own, nil if there are none.
func (p Policy) LocalRoots() map[string]string {
	if p.queue == nil {
		return nil
	}
	return maps.Clone(p.queue.sandbox.localRoots)
}

// Backends returns which of [BackendNative], [BackendBwrap], [BackendLandlock] and [BackendUnisolated] may run a sandbox of
// the queue, in this order, whatever the file's order is. An entry without a list has those that isolate, native and bwrap; one with
// an empty list, like the zero Policy, has none. The slice is the caller's own.
func (p Policy) Backends() []string {
	if p.queue == nil {
		return nil
	}
	return slices.Clone(p.queue.sandbox.backends)
}

// Limits returns what a sandbox of the queue may use. They pass [sandbox.Limits.Check]; a field that the entry does not
// have is zero, which asks for no limit. The zero Policy has none either, and no backend that could run anything.
// A contract narrows them with [sandbox.Limits.Narrow].
func (p Policy) Limits() sandbox.Limits {
	if p.queue == nil {
		return sandbox.Limits{}
	}
	return p.queue.limits
}

// Input is an untyped input that the policy names as a run config or manifest.
type Input struct {
	Argument int    // index of the argument
	Path     string // JSON pointer within the argument, "" is the whole
	Kind     InputKind
}

// Entry returns the key under queues that this policy stands under, "default"
// for the default section, "" for the zero Policy.
func (p Policy) Entry() string {
	if p.queue == nil {
		return ""
	}
	return p.queue.entry
}

// Mode returns the queue's mode.
func (p Policy) Mode() Mode {
	if p.queue == nil {
		return ModeUnset
	}
	return p.queue.mode
}

// Literals returns what becomes of text with the form of a credential.
func (p Policy) Literals() LiteralsMode {
	if p.queue == nil {
		return LiteralsEnforce
	}
	return p.queue.literals
}

// Digest returns 8 hex digits that change when the meaning of the entry does, its
// secrets included. It is "" for the zero Policy.
func (p Policy) Digest() string {
	if p.queue == nil {
		return ""
	}
	return p.queue.digest
}

// AllowsWorkflow reports whether workflows of that type may use guard data on the
// queue.
func (p Policy) AllowsWorkflow(typ string) bool {
	return p.queue != nil && (p.queue.anyWorkflow || slices.Contains(p.queue.workflows, typ))
}

// Inputs returns where the inputs of an activity hold run configs or manifests,
// in the order of arguments and paths.
func (p Policy) Inputs(activity string) []Input {
	if p.queue == nil {
		return nil
	}
	return p.queue.inputs[activity]
}

// InputGrants returns the grants to fields of an activity's arguments. No two of
// them can name the same field.
func (p Policy) InputGrants(activity string) []Grant {
	if p.queue == nil {
		return nil
	}
	return p.queue.inputGrants[activity]
}

// AskGrants returns the grants of secrets that an activity may ask for itself,
// with secrets.Get. Grants to its fields are not among them.
func (p Policy) AskGrants(activity string) []Grant {
	if p.queue == nil {
		return nil
	}
	return p.queue.askGrants[activity]
}

// EnvGrant returns the grant that lets a sandbox have ref in the variable called
// env. For a grant whose reference has placeholders, ref may be that reference
// itself or any that it can become; resolve Secret.RefFor of the run and nothing
// else.
func (p Policy) EnvGrant(env string, ref secrets.Ref) (Grant, bool) {
	if p.queue == nil || ref.IsZero() {
		return Grant{}, false
	}
	grants := p.queue.envGrants[env]
	for i := range grants {
		if grants[i].Secret.Ref == ref {
			return grants[i], true
		}
	}
	for i := range grants { // what is spelled out goes before what a placeholder can become
		if grants[i].Secret.covers(ref) {
			return grants[i], true
		}
	}
	return Grant{}, false
}

// RedactRefs returns the references that activities read by themselves. They are
// resolved only to hide their values.
func (p Policy) RedactRefs() []secrets.Ref {
	if p.queue == nil {
		return nil
	}
	return p.queue.redact
}

// allowedLiteral is an entry of allow_literals.
type allowedLiteral struct {
	path Pointer // without the levels that the wire puts between
	rule string
}

// LiteralAllowed reports whether allow_literals lifts the rule at a place. The
// path begins with what the data belongs to, an activity, workflow, signal or
// update by its name, then the argument's index and the JSON pointer:
// "StartJob/0/config/manifest/environment/DEMO_KEY". The levels "sandbox" before
// a manifest and "value" below an environment may be left out in the file. A path
// that begins with "/" belongs to nothing and is matched only by a "*".
func (p Policy) LiteralAllowed(path, rule string) bool {
	if p.queue == nil || len(p.queue.allowLiterals) == 0 {
		return false
	}
	var place Pointer
	for _, allowed := range p.queue.allowLiterals {
		if allowed.rule != rule {
			continue
		}
		if place == nil {
			place = literalPlace(path)
		}
		if allowed.path.Match(place) {
			return true
		}
	}
	return false
}

// literalPlace splits "StartJob/0/config" and leaves out the levels "sandbox" and
// "value" of the wire.
func literalPlace(path string) Pointer {
	segments, err := ParsePointer("/" + path)
	if err != nil {
		return Pointer{}
	}
	place := make(Pointer, 0, len(segments))
	for i, seg := range segments {
		switch {
		case seg == "sandbox" && i+1 < len(segments) && segments[i+1] == "manifest":
		case seg == "value" && i > 0 && segments[i-1] == "environment":
		default:
			place = append(place, seg)
		}
	}
	return place
}

// LiteralCredential returns the violation for text with the form of a credential,
// as [DetectCredentials] names its kind, at a path within the arguments of an
// activity. Its fix says how to bind the field in this queue's entry.
func (p Policy) LiteralCredential(activity, path, kind string) Violation {
	v := NewViolation(RuleLiteralCredential, path)
	if kind != "" {
		v = v.withDetail("this text has the form of " + article(kind) + " " + kind)
	}
	if p.queue == nil || SafeSegment(activity, 0) != activity {
		return v
	}
	v.Fix = `pass secrets.Env("NAME"), or bind the field: ` + p.queue.section +
		".grants: {secret: NAME, to: {activity: " + activity + ", input: " + path + "}, literal: replace}"
	return v
}

// article returns "a" or "an".
func article(noun string) string {
	if strings.ContainsRune("AEIOUaeiou", rune(noun[0])) {
		return "an"
	}
	return "a"
}
