package sandbox

import (
	"cmp"
	"slices"
	"strings"
)

// Fault is one thing that is wrong with an input. None of its fields ever
// holds a value of that input, nor a key that is in no schema and looks unsafe
// to show.
type Fault struct {
	// Path is the JSON pointer (RFC 6901) of the place, "" for the whole input.
	// A key that is not part of the format appears only if it consists of
	// letters, digits, "_", "." and "-" and does not look like a credential;
	// otherwise its index among the sorted keys of its object stands there.
	Path string
	// Rule is the kebab-case id of the rule, one of the Rule constants.
	Rule string
	// Detail is a fixed text that begins with "must".
	Detail string
}

// Error holds everything that is wrong with an input, found in one pass.
type Error struct {
	// Faults are sorted by Path, then Rule, then Detail, and hold no
	// duplicates. There is at least one.
	Faults []Fault
}

// newError sorts faults and drops duplicates.
func newError(faults []Fault) *Error {
	slices.SortFunc(faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Detail, b.Detail))
	})
	return &Error{Faults: slices.Compact(faults)}
}

// Error returns a heading and one line for each fault: its path, its rule and
// what the input must be instead.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("sandbox: input refused")
	for _, f := range e.Faults {
		b.WriteString("\n  ")
		if f.Path == "" {
			b.WriteString("(whole)")
		}
		b.WriteString(f.Path)
		b.WriteString("  ")
		b.WriteString(f.Rule)
		b.WriteString("  ")
		b.WriteString(f.Detail)
	}
	return b.String()
}
