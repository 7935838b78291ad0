package backend

// Result is what became of a command.
type Result struct {
	// ExitCode is that of its first process, -N if signal N ended it.
	ExitCode int
	// Reached are the limits that the command reached, each once, as far as that shows: one that only refuses something,
	// such as another open file, may be known to the command alone.
	Reached []Limit
	// Emptied says how it is known that none of its processes is left, such as "pid namespace ended". Empty means
	// that this is not known.
	Emptied string
}

// Limit is a bound of what a command may use.
type Limit struct {
	// Name is what it bounds, such as "memory".
	Name string
	// Value is the bound, as people read it, such as "512MiB".
	Value string
	// Mechanism is what enforces it, such as "cgroup v2 memory.max".
	Mechanism string
}
