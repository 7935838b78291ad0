package operation

import "github.com/sandboxguard/sandboxguard/sandbox"

// An Argument is what one of the activities gets. Only this package has such types.
type Argument interface {
	// Fault is what is wrong with an argument that was decoded, nil if nothing is.
	Fault() error
	// Session is the id of the session that the argument names, also if the rest is at fault. It is empty if that is
	// not a UUID.
	Session() string
	// Foreign names a field of the state that its kind does not have and that somebody else put there, empty if there
	// is none. No decoder returns such fields.
	Foreign() string
	operation()
}

// IsArgument reports whether v is an argument of a sandbox operation, or a pointer to one. The secrets of its
// manifest are not injected: a session's are bound when it first needs them.
func IsArgument(v any) bool {
	_, ok := v.(Argument)
	return ok
}

// IsCleanUp reports whether v is the argument of an operation that only ends something, or a pointer to one.
func IsCleanUp(v any) bool {
	switch v.(type) {
	case StopArgs, *StopArgs:
		return true
	}
	return false
}

// fault is embedded by all arguments.
type fault struct {
	err              error
	session, foreign string
}

func (f fault) Fault() error { return f.err }

func (f fault) Session() string { return f.session }

func (f fault) Foreign() string { return f.foreign }

func (fault) operation() {}

// CreateArgs are those of Create. Nil fields are written as null.
type CreateArgs struct {
	fault
	// SnapshotSpec says where the workspace is to be stored. Nil leaves it to the host.
	SnapshotSpec *sandbox.Snapshot `json:"snapshot_spec"`
	// Manifest is that of the sandbox. Nil is the default one.
	Manifest *sandbox.Manifest `json:"manifest"`
	// ClientOptions are those of the kind of sandbox. Nil leaves them to the host.
	ClientOptions *sandbox.ClientOptions `json:"client_options"`
}

// StateArgs are those of Resume, Start, Running and Persist.
type StateArgs struct {
	fault
	State sandbox.SessionState `json:"state"`
}

// StopArgs are those of Stop, Shut and Delete.
type StopArgs struct {
	fault
	State sandbox.SessionState `json:"state"`
}

// ExecArgs are those of Exec.
type ExecArgs struct {
	fault
	State   sandbox.SessionState `json:"state"`
	Command []string             `json:"command"`
	// Timeout is in seconds. Nil means none.
	Timeout *float64 `json:"timeout"`
	Shell   Shell    `json:"shell"`
	User    User     `json:"user"`
}

// ReadArgs are those of Read.
type ReadArgs struct {
	fault
	State sandbox.SessionState `json:"state"`
	Path  string               `json:"path"`
}

// WriteArgs are those of Write.
type WriteArgs struct {
	fault
	State sandbox.SessionState `json:"state"`
	Path  string               `json:"path"`
	// Data must not be nil, which is written as null and refused by readers of the format.
	Data []byte `json:"data"`
}

// HydrateArgs are those of Hydrate.
type HydrateArgs struct {
	fault
	State sandbox.SessionState `json:"state"`
	// Data is a tar archive. It must not be nil.
	Data []byte `json:"data"`
}

// PTYExecArgs are those of PTYExec.
type PTYExecArgs struct {
	fault
	State           sandbox.SessionState `json:"state"`
	Command         []string             `json:"command"`
	Timeout         *float64             `json:"timeout"`
	Shell           Shell                `json:"shell"`
	User            User                 `json:"user"`
	TTY             bool                 `json:"tty"`
	YieldTime       *float64             `json:"yield_time_s"`
	MaxOutputTokens *int                 `json:"max_output_tokens"`
}

// PTYSendArgs are those of PTYSend.
type PTYSendArgs struct {
	fault
	State sandbox.SessionState `json:"state"`
	// Process is the id of the process, not that of the session.
	Process         int      `json:"session_id"`
	Chars           string   `json:"chars"`
	YieldTime       *float64 `json:"yield_time_s"`
	MaxOutputTokens *int     `json:"max_output_tokens"`
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *CreateArgs) UnmarshalJSON(data []byte) error {
	type plain CreateArgs
	*a = CreateArgs{}
	a.fault = decode(data, (*plain)(a))
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *StateArgs) UnmarshalJSON(data []byte) error {
	type plain StateArgs
	*a = StateArgs{}
	a.fault = decode(data, (*plain)(a), "state")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *StopArgs) UnmarshalJSON(data []byte) error {
	type plain StopArgs
	*a = StopArgs{}
	a.fault = decode(data, (*plain)(a), "state")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *ExecArgs) UnmarshalJSON(data []byte) error {
	type plain ExecArgs
	*a = ExecArgs{}
	a.fault = decode(data, (*plain)(a), "state", "command")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *ReadArgs) UnmarshalJSON(data []byte) error {
	type plain ReadArgs
	*a = ReadArgs{}
	a.fault = decode(data, (*plain)(a), "state", "path")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *WriteArgs) UnmarshalJSON(data []byte) error {
	type plain WriteArgs
	*a = WriteArgs{}
	a.fault = decode(data, (*plain)(a), "state", "path", "data")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *HydrateArgs) UnmarshalJSON(data []byte) error {
	type plain HydrateArgs
	*a = HydrateArgs{}
	a.fault = decode(data, (*plain)(a), "state", "data")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *PTYExecArgs) UnmarshalJSON(data []byte) error {
	type plain PTYExecArgs
	*a = PTYExecArgs{}
	a.fault = decode(data, (*plain)(a), "state", "command")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *PTYSendArgs) UnmarshalJSON(data []byte) error {
	type plain PTYSendArgs
	*a = PTYSendArgs{}
	a.fault = decode(data, (*plain)(a), "state", "session_id", "chars")
	return nil
}
