package validation

import (
	"cmp"
	"slices"
	"strings"
)

// Violation is one broken rule at one place. Its texts are the fixed ones of
// the rule; nothing in it was copied from the data that was judged, except the
// names in Path, which went through [SafeSegment].
type Violation struct {
	Path   string `json:"path"`          // JSON pointer from the arguments on, "" is the whole
	Rule   string `json:"rule"`          // a stable id, see Rules
	Detail string `json:"detail"`        // "must ...", what the rule asks for
	Fix    string `json:"fix,omitempty"` // what to do about it
}

// String returns the two lines that a user sees: path, rule and detail, then
// the fix.
func (v Violation) String() string {
	path := v.Path
	if path == "" {
		path = "(whole)"
	}
	line := path + "  " + v.Rule + "  " + v.Detail
	if v.Fix != "" {
		line += "\nfix: " + v.Fix
	}
	return line
}

// Error is a list of violations as an error. Make one with [NewError], which
// sorts them.
type Error struct {
	Violations []Violation
}

// NewError returns an *Error that holds the violations in order of path and
// rule, each once; nil when there is none, so that the result can be returned
// as it is.
func NewError(violations []Violation) error {
	if len(violations) == 0 {
		return nil
	}
	return &Error{Violations: sortViolations(slices.Clone(violations))}
}

// Error returns the violations' own lines, one block after the other.
func (e *Error) Error() string {
	if len(e.Violations) == 0 {
		return "validation: refused without a stated violation"
	}
	blocks := make([]string, len(e.Violations))
	for i, v := range e.Violations {
		blocks[i] = v.String()
	}
	return strings.Join(blocks, "\n")
}

// sortViolations sorts in place by path, rule and detail, and drops repetitions.
func sortViolations(vs []Violation) []Violation {
	slices.SortStableFunc(vs, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Rule, b.Rule), strings.Compare(a.Detail, b.Detail))
	})
	return slices.CompactFunc(vs, func(a, b Violation) bool {
		return a.Path == b.Path && a.Rule == b.Rule && a.Detail == b.Detail
	})
}
