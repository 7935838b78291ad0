package cgroup

// Limit is something that a control group can do.
type Limit string

// What a control group can do.
const (
	Memory    Limit = "memory"
	Processes Limit = "processes"
	CPUs      Limit = "cpus"
	Kill      Limit = "kill" // end all processes at once, whatever they start meanwhile
)

// Means says how something is done, or why it cannot be: one of the two is empty.
type Means struct {
	// Mechanism names the version and the file that does it, such as "cgroup v2 memory.max".
	Mechanism string
	// Reason says what is in the way and what to do about it.
	Reason string
}

// Support has what the host lets this process do.
type Support map[Limit]Means

// Options say how far [Find] may go. The zero value changes nothing but the groups it makes and removes.
type Options struct {
	// MoveSelf lets it move the worker into a subgroup of its own group of version 2, if it is alone there and that is
	// what it takes to limit others. It stays there.
	MoveSelf bool
	// LimitsOnly is for groups whose processes something else ends: they are in no hierarchy that only ends them, and
	// [Group.Kill] may not be able to.
	LimitsOnly bool
}

// Hit is a limit that was reached in a way that processes felt. In version 1 the same counts stand for the limits of the
// groups above, and for a host without memory: what was hit may have been one of those.
type Hit struct {
	Limit     Limit
	Mechanism string // what told it, such as "cgroup v1 memory.oom_control"
	Value     int64  // the limit: bytes or processes
	Count     int64  // how often: processes that were killed, or not started
}
