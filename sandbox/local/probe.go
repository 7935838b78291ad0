package local

import "context"

// Probe says what [New] would say of the options on this host, and what their launcher does here. Where it isolates a real
// sandbox is made that runs nothing, so the program must call [Init]. Options.Dir is not used. The error is that of
// options which are wrong; what this host cannot do, or not within the limits of the options, is no error and stands in
// what is returned.
func Probe(ctx context.Context, o Options) (Capabilities, error) {
	o.Dir = "/"
	o, err := o.checked()
	if err != nil {
		return Capabilities{}, err
	}
	c := Capabilities{Launcher: o.Launcher.String()}
	l, err := newLauncher(ctx, o)
	if err == nil {
		defer func() { _ = l.close() }() // what it leaves are empty directories of control groups
	}
	if ctx.Err() != nil {
		return Capabilities{}, context.Cause(ctx)
	}
	if err != nil {
		c.Refusal = err.Error()
		return c, nil
	}
	c.List = l.capabilities()
	return c, nil
}

// Capabilities are what a launcher does on this host, which a sandbox has shown that ran nothing.
type Capabilities struct {
	// Launcher is its name.
	Launcher string
	// Refusal is what New refuses it with here: why it cannot be used, or not within the limits, and what to do. Empty
	// means that it can.
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
