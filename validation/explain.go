package validation

import (
	"maps"
	"slices"
)

// EnvGrants returns the grants to variables of a sandbox's environment, in order
// of the variables and then as in the file.
func (p Policy) EnvGrants() []Grant {
	if p.queue == nil {
		return nil
	}
	var all []Grant
	for _, env := range slices.Sorted(maps.Keys(p.queue.envGrants)) {
		all = append(all, p.queue.envGrants[env]...)
	}
	return all
}

// Activities returns the activity types that grants and inputs of the entry name,
// in order.
func (p Policy) Activities() []string {
	if p.queue == nil {
		return nil
	}
	named := map[string]bool{}
	for name := range p.queue.inputs {
		named[name] = true
	}
	for name := range p.queue.inputGrants {
		named[name] = true
	}
	for name := range p.queue.askGrants {
		named[name] = true
	}
	return slices.Sorted(maps.Keys(named))
}

// Workflows returns the workflow types that may use guard data on the queue, and
// whether the entry lists any: every type may when it does not.
func (p Policy) Workflows() (types []string, listed bool) {
	if p.queue == nil {
		return nil, true
	}
	return slices.Clone(p.queue.workflows), !p.queue.anyWorkflow
}
