package validation

import (
	"errors"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// FaultViolations returns the faults that err, an error of package sandbox, says
// were found in the value at that place, as violations with paths below it. It
// returns false when err is no such error.
func FaultViolations(err error, at string) ([]Violation, bool) {
	var faulty *sandbox.Error
	if !errors.As(err, &faulty) {
		return nil, false
	}
	base := shownBase(at)
	violations := make([]Violation, len(faulty.Faults))
	for i, f := range faulty.Faults {
		v := NewViolation(f.Rule, base+shownPointer(f.Path))
		if f.Detail != "" {
			v.Detail = f.Detail
		}
		violations[i] = v
	}
	return sortViolations(violations), true
}

// shownPointer hides the segments that have the form of a credential, which
// package sandbox can only guess.
func shownPointer(pointer string) string {
	segments := strings.Split(pointer, "/")
	for i, seg := range segments {
		if holdsCredential(seg) {
			segments[i] = "(hidden)"
		}
	}
	return strings.Join(segments, "/")
}
