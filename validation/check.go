package validation

import (
	"strconv"
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
	c.manifest(&m, nil)
	return sortViolations(c.found)
}

// CheckRunConfig returns every violation of the policy in rc, sorted by path: in
// its manifest, the manifest and the further fields of its session state, its
// client options and its tracing settings. At is as for CheckManifest.
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
	at     string
	found  []Violation
	size   int // of the manifest being checked, in bytes
}

// spot is a place below a checker's at, as a list towards the root that lives on
// the stack: text is made for violations only.
type spot struct {
	up  *spot
	seg string
	// siblings is the map that seg is a key of, nil when seg is a key of a
	// schema or an index.
	siblings any
}

// pointer returns the JSON pointer of s.
func (s *spot) pointer() string {
	if s == nil {
		return ""
	}
	return s.up.pointer() + "/" + s.shown()
}

// shown returns the segment as a path may show it.
func (s *spot) shown() string {
	index := 0
	switch siblings := s.siblings.(type) {
	case nil:
		return s.seg
	case map[string]sandbox.Entry:
		index = countBelow(siblings, s.seg)
	case map[string]sandbox.EnvValue:
		index = countBelow(siblings, s.seg)
	case map[string]string:
		index = countBelow(siblings, s.seg)
	case *rawNode:
		index = siblings.countBelow(s.seg)
	}
	return SafeSegment(s.seg, index)
}

// countBelow returns the index of key among the sorted keys of m.
func countBelow[V any](m map[string]V, key string) int {
	n := 0
	for k := range m {
		if k < key {
			n++
		}
	}
	return n
}

// report records that a rule is broken at a place.
func (c *checker) report(at *spot, rule string) {
	c.reportDetail(at, rule, "")
}

// reportDetail is report with another fixed text after the rule's own.
func (c *checker) reportDetail(at *spot, rule, more string) {
	pointer := at.pointer()
	if c.policy.LiteralAllowed(c.at+pointer, rule) {
		return
	}
	v := NewViolation(rule, shownBase(c.at)+pointer)
	if more != "" {
		v = v.withDetail(more)
	}
	c.found = append(c.found, v)
}

// allowed reports whether allow_literals lifts a rule at a place.
func (c *checker) allowed(at *spot, rule string) bool {
	return len(c.policy.queue.allowLiterals) > 0 && c.policy.LiteralAllowed(c.at+at.pointer(), rule)
}

// manifest checks m, which stands at a place.
func (c *checker) manifest(m *sandbox.Manifest, at *spot) {
	c.size = len(m.Root)
	entries := spot{up: at, seg: "entries"}
	c.entries(m.Entries, &entries, m.Root, 1)
	environment := spot{up: at, seg: "environment"}
	values := spot{up: &environment, seg: "value"}
	for name, value := range m.Environment.Values {
		c.variable(name, &value, &spot{up: &values, seg: name, siblings: m.Environment.Values})
	}
	grants := spot{up: at, seg: "extra_path_grants"}
	for i := range m.ExtraPathGrants {
		c.pathGrant(&m.ExtraPathGrants[i], &grants, i)
	}
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
		c.report(at, RuleManifestSize)
	}
}

// runConfig checks rc, which stands at the checker's place.
func (c *checker) runConfig(rc *sandbox.RunConfig) {
	if len(rc.Tracing) > 0 {
		tracing := spot{seg: "tracing"}
		c.options(rc.Tracing, &tracing)
	}
	box := rc.Sandbox
	if box == nil {
		return
	}
	at := spot{seg: "sandbox"}
	if box.Manifest != nil {
		manifest := spot{up: &at, seg: "manifest"}
		c.manifest(box.Manifest, &manifest)
	}
	if box.Options != nil {
		options := spot{up: &at, seg: "options"}
		c.clientOptions(box.Options, &options)
	}
	if box.SessionState != nil {
		state := spot{up: &at, seg: "session_state"}
		c.sessionState(box.SessionState, &state)
	}
}

// index returns a segment for an array element.
func index(i int) string { return strconv.Itoa(i) }
