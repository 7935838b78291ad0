package operation

import (
	"encoding/json"
	"errors"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// An Argument is what one of the activities gets. Only this package has such types.
type Argument interface {
	// Fault is what is wrong with an argument that was decoded, nil if nothing is.
	Fault() error
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
type fault struct{ err error }

func (f fault) Fault() error { return f.err }

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
	a.err = decode(data, (*plain)(a))
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *StateArgs) UnmarshalJSON(data []byte) error {
	type plain StateArgs
	*a = StateArgs{}
	a.err = decode(data, (*plain)(a), "state")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *StopArgs) UnmarshalJSON(data []byte) error {
	type plain StopArgs
	*a = StopArgs{}
	a.err = decode(data, (*plain)(a), "state")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *ExecArgs) UnmarshalJSON(data []byte) error {
	type plain ExecArgs
	*a = ExecArgs{}
	a.err = decode(data, (*plain)(a), "state", "command")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *ReadArgs) UnmarshalJSON(data []byte) error {
	type plain ReadArgs
	*a = ReadArgs{}
	a.err = decode(data, (*plain)(a), "state", "path")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *WriteArgs) UnmarshalJSON(data []byte) error {
	type plain WriteArgs
	*a = WriteArgs{}
	a.err = decode(data, (*plain)(a), "state", "path", "data")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *HydrateArgs) UnmarshalJSON(data []byte) error {
	type plain HydrateArgs
	*a = HydrateArgs{}
	a.err = decode(data, (*plain)(a), "state", "data")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *PTYExecArgs) UnmarshalJSON(data []byte) error {
	type plain PTYExecArgs
	*a = PTYExecArgs{}
	a.err = decode(data, (*plain)(a), "state", "command")
	return nil
}

// UnmarshalJSON reads a; what is wrong is its Fault.
func (a *PTYSendArgs) UnmarshalJSON(data []byte) error {
	type plain PTYSendArgs
	*a = PTYSendArgs{}
	a.err = decode(data, (*plain)(a), "state", "session_id", "chars")
	return nil
}

// decode reads an object into a plain struct. The required keys must be there and not be null. No error quotes the
// input.
func decode(data []byte, into any, required ...string) error {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(data, &keys); err != nil || keys == nil {
		return errors.New("the argument must be a JSON object")
	}
	for _, key := range required {
		if v, ok := keys[key]; !ok || string(v) == "null" {
			return errors.New(key + " is required")
		}
	}
	err := json.Unmarshal(data, into)
	var faults *sandbox.Error
	var wrong *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &faults): // names places and quotes nothing
		return faults
	case errors.As(err, &wrong) && isField(wrong.Field):
		return errors.New(wrong.Field + " has the wrong type")
	}
	return errors.New("the argument has a field of the wrong type")
}

// isField reports whether a decoder's name of a place has only names of this package's fields in it.
func isField(name string) bool {
	for _, c := range name {
		if c != '_' && c != '.' && (c < 'a' || c > 'z') {
			return false
		}
	}
	return name != ""
}
