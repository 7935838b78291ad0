package operation

import "github.com/sandboxguard/sandboxguard/sandbox"

// SessionResult is that of Create and Resume.
type SessionResult struct {
	State sandbox.SessionState `json:"state"`
	// SupportsPTY is whether PTYExec and PTYSend work.
	SupportsPTY bool `json:"supports_pty"`
	// HostQueue is the private task queue of the host that has the session. Empty is the queue that was asked.
	HostQueue string `json:"host_queue,omitempty"`
}

// ExecResult is that of Exec. Neither output may be nil. What the format does not have is left out where there is
// nothing to say; other readers drop it.
type ExecResult struct {
	Stdout   []byte `json:"stdout"`
	Stderr   []byte `json:"stderr"`
	ExitCode int    `json:"exit_code"`
	// StdoutBytes and StderrBytes are how much was written, where that is not what is here.
	StdoutBytes int64 `json:"stdout_bytes,omitzero"`
	StderrBytes int64 `json:"stderr_bytes,omitzero"`
	// Limits are those that the command reached.
	Limits []Limit `json:"limits,omitempty"`
}

// Limit is a bound of what a command may use.
type Limit struct {
	Name      string `json:"name"`
	Value     string `json:"value"`
	Mechanism string `json:"mechanism"`
}

// DataResult is that of Read and Persist. Data must not be nil.
type DataResult struct {
	Data []byte `json:"data"`
}

// RunningResult is that of Running.
type RunningResult struct {
	IsRunning bool `json:"is_running"`
}

// PTYResult is that of PTYExec and PTYSend. Output must not be nil.
type PTYResult struct {
	ProcessID          *int   `json:"process_id"`
	Output             []byte `json:"output"`
	ExitCode           *int   `json:"exit_code"`
	OriginalTokenCount *int   `json:"original_token_count"`
}
