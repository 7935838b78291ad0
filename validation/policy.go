package validation

import (
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// Policy is the policy of one queue. It is immutable, cheap to copy and safe
// for concurrent use. The zero Policy denies everything.
type Policy struct{}

// Input is an untyped input that the policy names as a run config or manifest.
type Input struct {
	Argument int    // index of the argument
	Path     string // JSON pointer within the argument, "" is the whole
	Kind     InputKind
}

// Entry returns the key under queues that this policy stands under, or
// "default".
func (p Policy) Entry() string { return "" }

// Mode returns the queue's mode.
func (p Policy) Mode() Mode { return ModeUnset }

// Literals returns what becomes of text with the form of a credential.
func (p Policy) Literals() LiteralsMode { return LiteralsEnforce }

// Digest returns 8 hex digits that change when the meaning of the policy does.
func (p Policy) Digest() string { return "" }

// AllowsWorkflow reports whether workflows of that type may use guard data on
// the queue.
func (p Policy) AllowsWorkflow(typ string) bool { return false }

// Inputs returns where the inputs of an activity hold run configs or manifests.
func (p Policy) Inputs(activity string) []Input { return nil }

// InputGrants returns the grants to fields of an activity's arguments.
func (p Policy) InputGrants(activity string) []Grant { return nil }

// EnvGrant returns the grant that lets a sandbox have ref in the variable
// called env.
func (p Policy) EnvGrant(env string, ref secrets.Ref) (Grant, bool) { return Grant{}, false }

// RedactRefs returns the references that are resolved only to hide them.
func (p Policy) RedactRefs() []secrets.Ref { return nil }

// CheckManifest returns every violation of the policy in m.
func (p Policy) CheckManifest(m sandbox.Manifest, at string) []Violation { return nil }

// CheckRunConfig returns every violation of the policy in rc.
func (p Policy) CheckRunConfig(rc sandbox.RunConfig, at string) []Violation { return nil }

// LiteralAllowed reports whether allow_literals lets the rule be broken at path.
func (p Policy) LiteralAllowed(path, rule string) bool { return false }

// LiteralCredential returns the violation for text with the form of a credential
// of that kind at path in the arguments of an activity, with a fix that names
// the queue's entry.
func (p Policy) LiteralCredential(activity, path, kind string) Violation { return Violation{} }
