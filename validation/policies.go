package validation

import "time"

// Queue names a task queue.
type Queue struct{ Namespace, Name string }

// Policies is a loaded policy file. Its methods may be called by any number of
// goroutines. The zero Policies and the nil *Policies have no entry and no
// default, and so deny every queue.
type Policies struct{}

// LoadPolicies reads the policy file at path.
func LoadPolicies(path string) (*Policies, error) { return &Policies{}, nil }

// ParsePolicies reads a policy file from src. The name stands in its errors.
func ParsePolicies(name string, src []byte) (*Policies, error) { return &Policies{}, nil }

// PolicyFor returns the policy of a queue: an entry with exactly its name, else
// the entry with the longest prefix before "*", else the default. It returns
// false when there is none, which means that the queue is denied.
func (p *Policies) PolicyFor(q Queue) (Policy, bool) { return Policy{}, false }

// Entries returns the keys of queues in order.
func (p *Policies) Entries() []string { return nil }

// Name returns the name that the file was loaded under.
func (p *Policies) Name() string { return "" }

// Digest returns 8 hex digits that change when the meaning of the file does.
func (p *Policies) Digest() string { return "" }

// HasDefault reports whether the file has a default section.
func (p *Policies) HasDefault() bool { return false }

// Secrets returns what the file's secrets section names, in order of names.
func (p *Policies) Secrets() []Secret { return nil }

// Warnings returns the secrets whose review is due within 30 days, or past, at
// now.
func (p *Policies) Warnings(now time.Time) []Violation { return nil }
