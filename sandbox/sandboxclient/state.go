package sandboxclient

import (
	"encoding/json"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// State is what a workflow keeps of a sandbox, and hands over to the run that continues it. It holds references to
// secrets and no values, and gives no right: a host compares it with its own record.
type State struct {
	// Session is the state of the session as the host told it.
	Session sandbox.SessionState `json:"session"`
	// HostQueue is the task queue that reaches the session's host alone. Empty means [Options.Queue].
	HostQueue string `json:"host_queue,omitempty"`
	// Cwd is the directory, relative to the workspace root, that commands start in. Empty means the root.
	Cwd string `json:"cwd,omitempty"`
}

// reduced is the state that the operations get which only end something. It names the session and nothing that a
// policy could refuse, so that nothing can keep a sandbox from being ended.
func reduced(s sandbox.SessionState) sandbox.SessionState {
	return sandbox.SessionState{
		Type:      s.Type,
		SessionID: s.SessionID,
		Snapshot:  sandbox.Snapshot{Type: sandbox.SnapshotNoop, ID: s.SessionID},
		Manifest:  sandbox.Manifest{Root: s.Manifest.Root},
		// Hosts written in Python delete only what they are told to own, once they have forgotten it.
		WorkspaceRootOwned: s.WorkspaceRootOwned,
		Image:              s.Image,
		ContainerID:        s.ContainerID,
		Extra:              handle(s.Extra),
	}
}

// handle keeps of the further fields of a remote kind those that its decoder requires.
//
//workflowcheck:ignore what is decoded and encoded depends on the input alone
func handle(extra json.RawMessage) json.RawMessage {
	if len(extra) == 0 {
		return nil
	}
	var kept struct {
		SandboxID   string `json:"sandbox_id,omitempty"`
		AppName     string `json:"app_name,omitempty"`
		WorkerURL   string `json:"worker_url,omitempty"`
		DevboxID    string `json:"devbox_id,omitempty"`
		SandboxName string `json:"sandbox_name,omitempty"`
	}
	if json.Unmarshal(extra, &kept) != nil {
		return nil
	}
	out, err := json.Marshal(kept)
	if err != nil {
		return nil
	}
	return out
}
