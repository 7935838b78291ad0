package local

import (
	"errors"
	"fmt"
)

// inPlaceFaults are what of the options [Landlock] cannot do, which shows nothing in another place than it is, and nothing of
// the workspace with fewer rights than the rest.
func (o Options) inPlaceFaults() []error {
	var faults []error
	for i, p := range o.Paths {
		if p.source() != p.Path {
			faults = append(faults, fmt.Errorf("local: Paths[%d] must have no Source of its own: with landlock commands find everything where it is on the host", i))
		}
	}
	if len(o.ReadOnly) > 0 {
		faults = append(faults, errors.New("local: ReadOnly must be empty with landlock, which cannot keep commands from directories of the workspace: leave it out, or take native or bwrap"))
	}
	return faults
}
