package validation

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"time"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// The days around the review of a secret.
const (
	reviewGrace  = 14 // after review_by the secret still works
	reviewNotice = 30 // before review_by a warning begins
)

// Secret is an entry of the policy's secrets section.
type Secret struct {
	// Name is the key in the file.
	Name string
	// Ref is where the value is. It may hold placeholders; use RefFor.
	Ref secrets.Ref
	// Owner answers for the secret.
	Owner string
	// Reason says what it is for.
	Reason string
	// ReviewBy is the day of the next review, midnight UTC at its beginning.
	ReviewBy time.Time

	// pattern is the workflow_id of the queue whose grant this was read from.
	pattern *regexp.Regexp
	// fixed is the Ref, where it was found to be in order and has no placeholders.
	fixed secrets.Ref
	// covered is what a reference with placeholders can become.
	covered *regexp.Regexp
}

// RefScope is what the placeholders of a reference are filled from. Nothing in it
// may come from a payload, a memo or a header.
type RefScope struct{ Namespace, TaskQueue, WorkflowID string }

// Overdue reports whether the review is more than 14 days late at now: from the
// fifteenth day after ReviewBy on, in UTC. A Secret without a day is overdue.
func (s Secret) Overdue(now time.Time) bool {
	return s.ReviewBy.IsZero() || !now.Before(s.ReviewBy.AddDate(0, 0, reviewGrace+1))
}

// dueSoon reports whether the time for the review has come.
func (s Secret) dueSoon(now time.Time) bool {
	return !now.Before(s.ReviewBy.AddDate(0, 0, -reviewNotice))
}

// RefFor returns the reference for one run: Ref with {namespace}, {task_queue}
// and the named groups of the queue's workflow_id filled in. A text that is
// filled in must be 1 to 64 characters of A-Z a-z 0-9 _ -, so that no part of it
// can lead to another secret; otherwise, and when the workflow id does not match,
// the error is an [*Error] with rule secret-scope that quotes neither. A
// reference without placeholders is returned as it is. A malformed reference
// gives an error that wraps [secrets.ErrInvalid].
func (s Secret) RefFor(scope RefScope) (secrets.Ref, error) {
	ref := s.Ref
	if ref == s.fixed && !ref.IsZero() {
		return ref, nil
	}
	if ref.Template() {
		values := s.placeholders(scope)
		var okName, okField bool
		ref.Name, okName = fill(ref.Name, values)
		ref.Field, okField = fill(ref.Field, values)
		if !okName || !okField {
			return secrets.Ref{}, scopeError()
		}
	}
	if err := ref.Validate(); err != nil {
		return secrets.Ref{}, err
	}
	return ref, nil
}

func scopeError() error { return NewError([]Violation{NewViolation(RuleSecretScope, "")}) }

// placeholders returns what scope gives each placeholder. A workflow id that does
// not match gives none of the groups.
func (s Secret) placeholders(scope RefScope) map[string]string {
	values := map[string]string{placeholderNamespace: scope.Namespace, placeholderTaskQueue: scope.TaskQueue}
	if s.pattern == nil {
		return values
	}
	for i, text := range s.pattern.FindStringSubmatch(scope.WorkflowID) {
		if group := s.pattern.SubexpNames()[i]; group != "" {
			values[group] = text
		}
	}
	return values
}

// The placeholders that every queue has.
const (
	placeholderNamespace = "namespace"
	placeholderTaskQueue = "task_queue"
)

// fill replaces the placeholders of s, and reports whether each has a value that
// may stand there.
func fill(s string, values map[string]string) (string, bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "{")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !isFillable(values[name]) {
			return "", false
		}
		b.WriteString(values[name])
		s = after
	}
}

// isFillable reports whether s may be put into a reference: [A-Za-z0-9_-]{1,64}.
func isFillable(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c == '.' || !strings.ContainsRune(safeCharacters, rune(c)) {
			return false
		}
	}
	return true
}

// placeholderNames returns the placeholders of a reference.
func placeholderNames(ref secrets.Ref) []string {
	var names []string
	for _, part := range []string{ref.Name, ref.Field} {
		for {
			_, rest, found := strings.Cut(part, "{")
			name, after, closed := strings.Cut(rest, "}")
			if !found || !closed {
				break
			}
			names = append(names, name)
			part = after
		}
	}
	return names
}

// covers reports whether ref can be what the secret's reference becomes for some
// run: the right to the name. Which run may have which is for RefFor.
func (s Secret) covers(ref secrets.Ref) bool {
	if s.Ref == ref {
		return !ref.IsZero()
	}
	return s.covered != nil && s.Ref.Provider == ref.Provider && s.Ref.Version == ref.Version &&
		s.covered.MatchString(ref.Name+"#"+ref.Field)
}

// coverPattern returns what names and fields the placeholders of ref allow, nil
// when it has none.
func coverPattern(ref secrets.Ref) *regexp.Regexp {
	if !ref.Template() {
		return nil
	}
	var b strings.Builder
	rest := ref.Name + "#" + ref.Field
	for {
		before, after, found := strings.Cut(rest, "{")
		b.WriteString(regexp.QuoteMeta(before))
		if !found {
			return regexp.MustCompile(`\A` + b.String() + `\z`)
		}
		b.WriteString(`[A-Za-z0-9_-]{1,64}`)
		_, rest, _ = strings.Cut(after, "}")
	}
}

// isAnchored reports whether pattern matches whole texts only: "^" stands before
// everything and "$" behind everything.
func isAnchored(pattern string) bool {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil || re.Op != syntax.OpConcat {
		return false
	}
	return re.Sub[0].Op == syntax.OpBeginText && re.Sub[len(re.Sub)-1].Op == syntax.OpEndText
}

// groupNames returns the named groups of a pattern.
func groupNames(re *regexp.Regexp) []string {
	return slices.DeleteFunc(slices.Clone(re.SubexpNames()), func(name string) bool { return name == "" })
}
