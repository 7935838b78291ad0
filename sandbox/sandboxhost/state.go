package sandboxhost

import (
	"encoding/json"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// state is what callers get to know of a session. It holds no path of the host and no handle but the session's id.
func state(kind string, r record) sandbox.SessionState {
	s := sandbox.SessionState{
		Type: kind, SessionID: r.ID, Snapshot: sandbox.Snapshot{Type: sandbox.SnapshotNoop, ID: r.ID}, Manifest: r.Manifest,
	}
	s.Manifest.Root = sandbox.DefaultRoot
	if kind == sandbox.ClientDocker {
		s.ContainerID = r.ID
	}
	if o := r.Options; o != nil {
		s.ExposedPorts, s.Image, s.NetworkMode, s.Labels = o.ExposedPorts, o.Image, o.NetworkMode, o.Labels
	}
	return s
}

var errState = &backend.Error{Code: backend.StartFailed, Message: "the state of the session is not one that callers could read: delete the session, and create it with complete client_options"}

// checked refuses a state that callers could not read: a workflow that gets one hangs.
func checked(s sandbox.SessionState) error {
	data, err := json.Marshal(s)
	if err == nil {
		_, err = sandbox.Decode[sandbox.SessionState](data, sandbox.Strict)
	}
	if err != nil {
		return errState
	}
	return nil
}

// differs names what a caller's state has other than the session. Only a state that was changed on the way does. What
// ends something comes with a state that says less.
func differs(s sandbox.SessionState, kind string, r record, cleanUp bool) string {
	own := state(kind, r)
	switch {
	case s.Type != own.Type:
		return "type"
	case s.Manifest.Root != "" && s.Manifest.Root != own.Manifest.Root:
		return "manifest.root"
	case s.WorkspaceRootOwned:
		return "workspace_root_owned"
	case s.Snapshot.Type != own.Snapshot.Type || s.Snapshot.BasePath != "" || s.Snapshot.ClientDependencyKey != "":
		return "snapshot"
	case !cleanUp && (s.ContainerID != own.ContainerID || s.Image != own.Image), cleanUp && s.ContainerID != "" && s.ContainerID != own.ContainerID:
		return "container"
	case len(s.Extra) > 0:
		return "further fields"
	case len(s.UnboundGrants) > 0:
		return "grants"
	case cleanUp:
		return ""
	}
	if digest, err := s.Manifest.Digest(); err != nil || digest != r.Digest {
		return "manifest"
	}
	return ""
}

// result is what Create and Resume return.
func (h *Host) result(s *session) (*operation.SessionResult, error) {
	s.mu.Lock()
	own := state(h.kind, s.rec)
	_, terminals := s.box.(backend.Terminals)
	s.mu.Unlock()
	if err := checked(own); err != nil {
		return nil, err
	}
	return &operation.SessionResult{State: own, SupportsPTY: terminals, HostQueue: h.privateQueue()}, nil
}
