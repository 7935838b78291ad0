package operation

// The types of the errors with which a host ends an activity, besides those of the format. None is tried again.
const (
	// NotHere is the answer for a session that the host does not have, or that is not the caller's.
	NotHere = "sandboxguard.NotHere"
	// MayHaveRun is the answer for a command of which nobody knows whether it ran.
	MayHaveRun = "sandboxguard.MayHaveRun"
	// OutputWithheld is the answer for output that holds a secret where it cannot be hidden, or that could not be
	// searched.
	OutputWithheld = "sandboxguard.OutputWithheld"
	// NotBegun is the type of the cause of an error that came before the operation began. No error has it itself.
	NotBegun = "sandboxguard.NotBegun"
	// InvalidArgument is the answer for an argument that cannot be carried out as it is.
	InvalidArgument = "InvalidArgument"
)
