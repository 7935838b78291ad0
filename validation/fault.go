package validation

import (
	"errors"

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
		v := NewViolation(f.Rule, base+f.Path)
		if f.Detail != "" {
			v.Detail = f.Detail
		}
		violations[i] = v
	}
	return sortViolations(violations), true
}
