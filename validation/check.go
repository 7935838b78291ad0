package validation

import (
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

const (
	// maxManifestSize leaves room in a payload of 2 MiB, where the server ends
	// it, for a session state around the manifest and what a codec adds.
	maxManifestSize  = 1 << 20
	maxManifestDepth = 32
	// entryOverhead is what an entry's keys and punctuation take in JSON,
	// without its own texts.
	entryOverhead = 64
)

// CheckManifest returns every violation of the policy in m, sorted by path. At is
// where m stands: the name of the activity, workflow, signal or update that it is
// an argument of, the argument's index and a JSON pointer, such as
// "StartJob/0/config/manifest", with "/" in a name written as "~1". The name is
// what allow_literals compares and is left out of the violations' paths. An at
// that begins with "/" names nothing, and entries of allow_literals then match
// only when they begin with "*".
//
// A manifest without a violation costs no allocation unless it has mounts.
func (p Policy) CheckManifest(m sandbox.Manifest, at string) []Violation {
	if p.queue == nil {
		return []Violation{NewViolation(RuleQueueUnlisted, shownBase(at))}
	}
	c := checker{policy: p, at: at}
	c.manifest(&m)
	return sortViolations(c.found)
}

// CheckRunConfig returns every violation of the policy in rc, sorted by path: in
// its manifest, the manifest and the further fields of its session state, its
// client options, and its settings of models and tracing. At is as for CheckManifest.
func (p Policy) CheckRunConfig(rc sandbox.RunConfig, at string) []Violation {
	if p.queue == nil {
		return []Violation{NewViolation(RuleQueueUnlisted, shownBase(at))}
	}
	c := checker{policy: p, at: at}
	c.runConfig(&rc)
	return sortViolations(c.found)
}

// shownBase returns the part of at that violations show.
func shownBase(at string) string {
	i := strings.IndexByte(at, '/')
	if i < 0 {
		return ""
	}
	return at[i:]
}

// checker collects the violations of one value.
type checker struct {
	policy Policy
	at     string // where the value stands
	trail  trail  // from there to what is being looked at
	found  []Violation
	size   int // of the manifest being checked, in bytes
}

// report records that a rule is broken where the checker is.
func (c *checker) report(rule string) { c.reportDetail(rule, "") }

// reportAt records that a rule is broken at a key of a schema.
func (c *checker) reportAt(key, rule string) {
	c.trail.enter(key)
	c.reportDetail(rule, "")
	c.trail.leave(1)
}

// reportDetail is report with another fixed text after the rule's own.
func (c *checker) reportDetail(rule, more string) {
	if c.allowed(rule) {
		return
	}
	v := NewViolation(rule, c.place())
	if more != "" {
		v = v.withDetail(more)
	}
	c.found = append(c.found, v)
}

// place returns the path of a violation where the checker is.
func (c *checker) place() string { return shownBase(c.at) + c.trail.pointer() }

// allowed reports whether allow_literals lifts a rule where the checker is.
func (c *checker) allowed(rule string) bool {
	return len(c.policy.queue.allowLiterals) > 0 && c.policy.LiteralAllowed(c.at+c.trail.pointer(), rule)
}

// manifest checks m.
func (c *checker) manifest(m *sandbox.Manifest) {
	c.size = len(m.Root)
	c.trail.enter("entries")
	c.entries(m.Entries, m.Root, 1)
	c.trail.leave(1)
	c.trail.enter("environment")
	c.trail.enter("value")
	for name, value := range m.Environment.Values {
		c.trail.enterKey(name, m.Environment.Values)
		c.variable(name, &value)
		c.trail.leave(1)
	}
	c.trail.leave(2)
	c.trail.enter("extra_path_grants")
	for i := range m.ExtraPathGrants {
		c.pathGrant(&m.ExtraPathGrants[i], i)
	}
	c.trail.leave(1)
	for i := range m.Users {
		c.size += entryOverhead + len(m.Users[i].Name)
	}
	for i := range m.Groups {
		c.size += entryOverhead*(1+len(m.Groups[i].Users)) + len(m.Groups[i].Name)
	}
	for _, command := range m.RemoteMountCommandAllowlist {
		c.size += len(command)
	}
	if c.size > maxManifestSize {
		c.report(RuleManifestSize)
	}
}

// runConfig checks rc.
func (c *checker) runConfig(rc *sandbox.RunConfig) {
	c.settings("model_settings", rc.ModelSettings)
	c.settings("session_settings", rc.SessionSettings)
	c.settings("tool_execution", rc.ToolExecution)
	c.settings("trace_metadata", rc.TraceMetadata)
	c.settings("tracing", rc.Tracing)
	box := rc.Sandbox
	if box == nil {
		return
	}
	c.trail.enter("sandbox")
	if box.Manifest != nil {
		c.trail.enter("manifest")
		c.manifest(box.Manifest)
		c.trail.leave(1)
	}
	if box.Options != nil {
		c.trail.enter("options")
		c.clientOptions(box.Options)
		c.trail.leave(1)
	}
	if box.SessionState != nil {
		c.trail.enter("session_state")
		c.sessionState(box.SessionState)
		c.trail.leave(1)
	}
	c.trail.leave(1)
}
