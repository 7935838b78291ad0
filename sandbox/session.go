package sandbox

import (
	"encoding/json"
	"slices"
	"strings"
)

// The keys by which the Python models mark a state that they took something out
// of before it was stored.
const (
	keyUnboundGrants = "__openai_agents_redacted_host_path_grant_paths"
	keyMountRedacted = "__openai_agents_redacted_mount_authority"
)

// SessionState is what a workflow keeps of a sandbox between calls and hands
// back with each of them. It is a claim: a host compares it with its own record
// and never takes a path, a handle or a right from it.
type SessionState struct {
	// Type is the kind of the client. Required.
	Type string `json:"type"`
	// SessionID is the lower-case hyphenated UUID of the session. Decoders bring
	// other spellings into this form. It is empty when a foreign state has none;
	// nothing here invents one.
	SessionID string `json:"session_id,omitzero"`
	// Snapshot is where the workspace is stored. It has an id.
	Snapshot Snapshot `json:"snapshot"`
	// Manifest is the manifest of the sandbox.
	Manifest Manifest `json:"manifest"`
	// ExposedPorts are the ports of the sandbox that can be reached, without
	// repetitions.
	ExposedPorts []int `json:"exposed_ports,omitzero"`
	// SnapshotFingerprint is the digest of the stored workspace.
	SnapshotFingerprint *string `json:"snapshot_fingerprint,omitzero"`
	// SnapshotFingerprintVersion says how the fingerprint was made.
	SnapshotFingerprintVersion *string `json:"snapshot_fingerprint_version,omitzero"`
	// WorkspaceRootReady says that the workspace has been filled.
	WorkspaceRootReady bool `json:"workspace_root_ready,omitzero"`
	// WorkspaceRootOwned, of unix_local, says that the host made the root.
	WorkspaceRootOwned bool `json:"workspace_root_owned,omitzero"`
	// Image, of docker, is the image of the container.
	Image string `json:"image,omitzero"`
	// ContainerID, of docker, is the host's handle.
	ContainerID string `json:"container_id,omitzero"`
	// NetworkMode, of docker, is "none" or nil.
	NetworkMode *string `json:"network_mode,omitzero"`
	// Labels, of docker, are the labels of the container.
	Labels map[string]string `json:"labels,omitzero"`
	// Extra is the object of the further fields of a remote kind, in canonical
	// JSON.
	Extra json.RawMessage `json:"-"`
	// UnboundGrants are the sandbox-side paths of the grants whose host path
	// was taken out: by a lenient decoder, or by whoever stored the state. A
	// sandbox cannot be resumed from such a state as it was. It is never
	// written.
	UnboundGrants []string `json:"-"`
}

// ToMap returns s in map form. It shares nothing with s.
//
//workflowcheck:ignore
func (s SessionState) ToMap() map[string]any { return toMap(s) }

// MarshalJSON writes s with its further fields.
func (s SessionState) MarshalJSON() ([]byte, error) {
	type plain SessionState
	if len(s.Extra) == 0 {
		return json.Marshal(struct {
			plain
			Image       *string `json:"image,omitzero"`
			ContainerID *string `json:"container_id,omitzero"`
		}{plain(s), s.dockerField(s.Image), s.dockerField(s.ContainerID)})
	}
	d := &decoder{mode: Strict}
	tree := d.lift(s, nil, true)
	if err := d.err(); err != nil {
		return nil, err
	}
	return canonical(tree)
}

// dockerField returns the field when it is set or must be written.
func (s SessionState) dockerField(v string) *string {
	if v == "" && s.Type != ClientDocker {
		return nil
	}
	return &v
}

// UnmarshalJSON reads s in [Lenient] mode. The error is an [*Error].
func (s *SessionState) UnmarshalJSON(data []byte) error { return unmarshal(data, s) }

func (s SessionState) rawObject() json.RawMessage { return s.Extra }

func (s SessionState) tree() map[string]any { return rawTree(s) }

func (s SessionState) ownTree() map[string]any {
	t := map[string]any{"type": s.Type, "snapshot": s.Snapshot, "manifest": s.Manifest}
	if s.SessionID != "" {
		t["session_id"] = s.SessionID
	}
	if s.ExposedPorts != nil {
		t["exposed_ports"] = s.ExposedPorts
	}
	if s.WorkspaceRootReady {
		t["workspace_root_ready"] = true
	}
	if s.WorkspaceRootOwned {
		t["workspace_root_owned"] = true
	}
	if s.Labels != nil {
		t["labels"] = s.Labels
	}
	for key, value := range map[string]*string{
		"snapshot_fingerprint":         s.SnapshotFingerprint,
		"snapshot_fingerprint_version": s.SnapshotFingerprintVersion,
		"image":                        s.dockerField(s.Image),
		"container_id":                 s.dockerField(s.ContainerID),
		"network_mode":                 s.NetworkMode,
	} {
		if value != nil {
			t[key] = *value
		}
	}
	return t
}

// isStateKey reports the keys that every state has.
func isStateKey(key string) bool {
	switch key {
	case "type", "session_id", "snapshot", "manifest", "exposed_ports", "snapshot_fingerprint",
		"snapshot_fingerprint_version", "workspace_root_ready", keyUnboundGrants, keyMountRedacted:
		return true
	default:
		return false
	}
}

func (d *decoder) state(v any, at *place) SessionState {
	v = d.shape(v, at)
	m, ok := d.fields(v, at)
	if !ok {
		return SessionState{}
	}
	out := SessionState{Type: d.tag(m, at)}
	if out.Type == "" {
		return SessionState{}
	}
	if !d.stateKind(&out, m, at) {
		return SessionState{}
	}
	out.SessionID = d.sessionID(m, at)
	if v, at, ok := d.required(m, "snapshot", at); ok {
		if fields, ok := d.fields(v, at); ok {
			d.required(fields, "id", at)
			out.Snapshot = d.snapshot(fields, at)
		}
	}
	if v, at, ok := d.required(m, "manifest", at); ok {
		out.Manifest = d.manifest(v, at, false)
	}
	if _, ok := m["exposed_ports"]; ok {
		out.ExposedPorts = d.statePorts(m, at)
	}
	out.SnapshotFingerprint = d.nullStr(m, "snapshot_fingerprint", at)
	out.SnapshotFingerprintVersion = d.nullStr(m, "snapshot_fingerprint_version", at)
	out.WorkspaceRootReady = d.boolean(m, "workspace_root_ready", at)
	d.unbind(&out, v, m, at)
	return out
}

// unbind notes the grants that have lost their host path. Lenient mode takes
// the bound ones out, as the Python models do with every state; strict mode
// leaves them for policy to refuse.
func (d *decoder) unbind(out *SessionState, v any, m map[string]any, at *place) {
	if typed, ok := v.(SessionState); ok {
		out.UnboundGrants = slices.Clone(typed.UnboundGrants)
	}
	if marker, ok := m[keyUnboundGrants]; ok {
		out.UnboundGrants = append(out.UnboundGrants, d.strs(marker, at.key(keyUnboundGrants))...)
	}
	if d.strict() {
		return
	}
	out.Manifest.ExtraPathGrants = slices.DeleteFunc(out.Manifest.ExtraPathGrants, func(g PathGrant) bool {
		if g.HostPath != nil {
			out.UnboundGrants = append(out.UnboundGrants, g.Path)
		}
		return g.HostPath != nil
	})
}

func (d *decoder) sessionID(m map[string]any, at *place) string {
	v, ok := m["session_id"]
	if !ok {
		if d.strict() {
			d.required(m, "session_id", at)
		}
		return ""
	}
	at = at.key("session_id")
	s, ok := d.str(v, at)
	if !ok {
		return ""
	}
	id, ok := canonicalUUID(s)
	if !ok {
		d.report(at, RuleInvalidValue, "must be a UUID")
	}
	return id
}

// canonicalUUID brings the spellings of a UUID into one: with or without
// hyphens, in braces, as a URN, in either case.
func canonicalUUID(s string) (string, bool) {
	s = strings.TrimPrefix(s, "urn:uuid:")
	if inner, ok := strings.CutPrefix(s, "{"); ok {
		if s, ok = strings.CutSuffix(inner, "}"); !ok {
			return "", false
		}
	}
	if len(s) == 36 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' {
		s = s[:8] + s[9:13] + s[14:18] + s[19:23] + s[24:]
	}
	if s = strings.ToLower(s); len(s) != 32 || strings.Trim(s, "0123456789abcdef") != "" {
		return "", false
	}
	return strings.Join([]string{s[:8], s[8:12], s[12:16], s[16:20], s[20:]}, "-"), true
}
