package local

// Capabilities are what a launcher does on this host, which a sandbox has shown that ran nothing.
type Capabilities struct {
	// Launcher is its name.
	Launcher string
	// Refusal says why it cannot be used here and what to do. Empty means that it can.
	Refusal string
	// List has what it keeps apart and which limits it can hold, in an order for people.
	List []Capability
}

// Capability is something that a launcher does, or could do.
type Capability struct {
	// Name is what is kept apart or bounded, such as "network" or "memory".
	Name string
	// Mechanism is how. Empty means that this host cannot.
	Mechanism string
	// Reason says why there is no mechanism, or no better one, and what to do. Empty means that there is nothing to do.
	Reason string
}

// String returns the capability in a line.
func (c Capability) String() string { return c.Name + ": " + c.How() }

// How returns the mechanism, with what there is to say about it.
func (c Capability) How() string {
	switch {
	case c.Mechanism == "":
		return "cannot: " + c.Reason
	case c.Reason == "":
		return c.Mechanism
	}
	return c.Mechanism + ", no control group: " + c.Reason
}
