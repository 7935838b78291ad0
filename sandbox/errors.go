package sandbox

// Fault is one thing that is wrong with an input.
type Fault struct {
	// Path is the JSON pointer of the place, "" for the whole input.
	Path string
	// Rule is the kebab-case id of the rule.
	Rule string
	// Detail is a fixed text that begins with "must".
	Detail string
}

// Error holds everything that is wrong with an input.
type Error struct {
	// Faults are sorted by path and then rule, without duplicates.
	Faults []Fault
}

// Error returns one line per fault.
func (e *Error) Error() string { return "sandbox: invalid" }
