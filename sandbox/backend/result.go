package backend

// Result is what became of a command.
type Result struct {
	// ExitCode is that of its first process, -N if signal N ended it.
	ExitCode int
	// Reached are the limits that the command reached, each once, as far as that shows. One that only refuses something,
	// such as another open file, may be known to the command alone: a backend may name it by what the command says, with
	// a mechanism that says so. That is a hint for people and agents, which can be wrong, and nothing may decide on it.
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
	// Mechanism is what enforces it, such as "cgroup v2 memory.max", and, where that is a guess, how it is known that it
	// was reached, as in "RLIMIT_NOFILE, as its output says".
	Mechanism string
}
