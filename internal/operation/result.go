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

// ExecResult is that of Exec. Neither output may be nil.
type ExecResult struct {
	Stdout   []byte `json:"stdout"`
	Stderr   []byte `json:"stderr"`
	ExitCode int    `json:"exit_code"`
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
