//go:build !linux

package probe

// There are no probes: what they try is Linux's.
var (
	probes map[string]func(Task, *found)
	early  map[string]func(*found)
	roles  map[string]role
)
