package sandbox

import "encoding/json"

// SessionState is what a workflow keeps of a sandbox between calls.
type SessionState struct {
	Type                       string   `json:"type"`
	SessionID                  string   `json:"session_id,omitzero"`
	Snapshot                   Snapshot `json:"snapshot"`
	Manifest                   Manifest `json:"manifest"`
	ExposedPorts               []int    `json:"exposed_ports,omitzero"`
	SnapshotFingerprint        *string  `json:"snapshot_fingerprint,omitzero"`
	SnapshotFingerprintVersion *string  `json:"snapshot_fingerprint_version,omitzero"`
	WorkspaceRootReady         bool     `json:"workspace_root_ready,omitzero"`
	// WorkspaceRootOwned belongs to unix_local.
	WorkspaceRootOwned bool `json:"workspace_root_owned,omitzero"`
	// Image, ContainerID, NetworkMode and Labels belong to docker.
	Image       string            `json:"image,omitzero"`
	ContainerID string            `json:"container_id,omitzero"`
	NetworkMode *string           `json:"network_mode,omitzero"`
	Labels      map[string]string `json:"labels,omitzero"`
	// Extra is the object of the further fields of a remote kind.
	Extra json.RawMessage `json:"-"`
	// UnboundGrants are the sandbox-side paths of grants whose host path a
	// decoder removed. It is never written.
	UnboundGrants []string `json:"-"`
}

// ToMap returns the map form of s.
func (s SessionState) ToMap() map[string]any { return nil }
