package validation

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// Queue names a task queue.
type Queue struct{ Namespace, Name string }

// Policies is a loaded policy file. Its methods may be called by any number of
// goroutines and never block; when the file is followed by [Watch] they answer
// from the last good one. The zero Policies and the nil *Policies have no entry
// and no default, and so deny every queue.
type Policies struct {
	current atomic.Pointer[policyFile]
}

// policyFile is one loaded state, immutable.
type policyFile struct {
	name     string
	digest   string
	secrets  []Secret                // in order of names
	entries  []string                // keys of queues, in order
	exact    map[string]*queuePolicy // by queue
	prefixes []prefixPolicy          // longest first
	fallback *queuePolicy            // nil when the file has no default
}

// prefixPolicy is an entry whose key ends in "*".
type prefixPolicy struct {
	prefix string
	policy *queuePolicy
}

// ParsePolicies reads a policy file, YAML or JSON, from src. The name stands in
// errors and in Name. A file that is not in order gives a [*FileError] with every
// problem.
func ParsePolicies(name string, src []byte) (*Policies, error) {
	file, err := parseFile(name, src)
	if err != nil {
		return nil, err
	}
	p := &Policies{}
	p.current.Store(file)
	return p, nil
}

// parseFile is the way from text to a state: the document, the table, the
// compiler. The compiler also runs on what the table accepted of a faulty file,
// so that every problem is found at once.
func parseFile(name string, src []byte) (*policyFile, error) {
	ps := &problems{}
	if root := readDocument(src, ps); root != nil {
		w := &walker{problems: ps}
		c := &compiler{problems: ps}
		file := c.file(name, w.walk(root, fileShape(), ""))
		if err := ps.err(name); err != nil {
			return nil, err
		}
		return file, nil
	}
	return nil, ps.err(name)
}

// state returns the current state, nil when there is none.
func (p *Policies) state() *policyFile {
	if p == nil {
		return nil
	}
	return p.current.Load()
}

// PolicyFor returns the policy of a queue: the entry with exactly its name, else
// the entry with the longest prefix before "*", else the default. It returns
// false when there is none, which means that the queue is denied.
func (p *Policies) PolicyFor(q Queue) (Policy, bool) {
	f := p.state()
	if f == nil {
		return Policy{}, false
	}
	if policy, ok := f.exact[q.Name]; ok {
		return Policy{policy}, true
	}
	for _, entry := range f.prefixes {
		if strings.HasPrefix(q.Name, entry.prefix) {
			return Policy{entry.policy}, true
		}
	}
	return Policy{f.fallback}, f.fallback != nil
}

// Entries returns the keys of queues in order, for a message that lists them.
func (p *Policies) Entries() []string {
	if f := p.state(); f != nil {
		return slices.Clone(f.entries)
	}
	return nil
}

// Name returns the name that the file was loaded under, without a directory.
func (p *Policies) Name() string {
	if f := p.state(); f != nil {
		return f.name
	}
	return ""
}

// Digest returns 8 hex digits that change when the meaning of the file does, and
// not with its comments and layout. It is "" when nothing is loaded.
func (p *Policies) Digest() string {
	if f := p.state(); f != nil {
		return f.digest
	}
	return ""
}

// HasDefault reports whether the file has a default section.
func (p *Policies) HasDefault() bool {
	f := p.state()
	return f != nil && f.fallback != nil
}

// Secrets returns what the file's secrets section names, in order of names. Their
// RefFor fills {namespace} and {task_queue} only, since groups of a workflow id
// belong to a queue.
func (p *Policies) Secrets() []Secret {
	if f := p.state(); f != nil {
		return slices.Clone(f.secrets)
	}
	return nil
}

// Warnings returns, at now, a violation for every secret whose review is due
// within 30 days or late: rule secret-review-due, or secret-review-overdue when
// the secret is refused. Paths are JSON pointers into the policy file.
func (p *Policies) Warnings(now time.Time) []Violation {
	var warnings []Violation
	for _, s := range p.Secrets() {
		at := Pointer{"secrets", s.Name, "review_by"}.String()
		switch {
		case s.Overdue(now):
			warnings = append(warnings, NewViolation(RuleSecretReviewOverdue, at))
		case s.dueSoon(now):
			warnings = append(warnings, NewViolation(RuleSecretReviewDue, at))
		}
	}
	return warnings
}
