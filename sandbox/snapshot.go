package sandbox

import "strings"

// The types of snapshots.
const (
	// SnapshotNoop stores nothing and is never restorable.
	SnapshotNoop = "noop"
	// SnapshotLocal stores a file <base_path>/<id>.tar on the worker's host.
	SnapshotLocal = "local"
	// SnapshotRemote stores through an object that the worker looks up by key.
	SnapshotRemote = "remote"
)

// Snapshot is a stored workspace or, when ID is empty, the specification of
// where one is to be stored. The zero Snapshot is invalid.
type Snapshot struct {
	// Type is one of the Snapshot constants. Required.
	Type string `json:"type"`
	// ID names the snapshot. That of a local one is one path segment. Empty
	// makes a specification.
	ID string `json:"id,omitzero"`
	// BasePath is the directory of a local snapshot on the worker's host.
	BasePath string `json:"base_path,omitzero"`
	// ClientDependencyKey is the key of a remote snapshot's store.
	ClientDependencyKey string `json:"client_dependency_key,omitzero"`
}

// IsSpec reports whether s is a specification, which has no id.
func (s Snapshot) IsSpec() bool { return s.ID == "" }

// UnmarshalJSON reads s in [Lenient] mode. The error is an [*Error].
func (s *Snapshot) UnmarshalJSON(data []byte) error { return unmarshal(data, s) }

func (s Snapshot) tree() map[string]any {
	t := map[string]any{"type": s.Type}
	for key, value := range map[string]string{"id": s.ID, "base_path": s.BasePath, "client_dependency_key": s.ClientDependencyKey} {
		if value != "" {
			t[key] = value
		}
	}
	return t
}

// snapshot reads a snapshot or a specification.
func (d *decoder) snapshot(v any, at *place) Snapshot {
	m, ok := d.fields(v, at)
	if !ok {
		return Snapshot{}
	}
	out := Snapshot{Type: d.tag(m, at)}
	own := ""
	switch out.Type {
	case "", SnapshotNoop:
	case SnapshotLocal:
		own = "base_path"
		out.BasePath = d.requiredStr(m, own, at)
	case SnapshotRemote:
		own = "client_dependency_key"
		out.ClientDependencyKey = d.requiredStr(m, own, at)
	default:
		d.report(at.key("type"), RuleUnknownType, "must be noop, local or remote")
		return Snapshot{}
	}
	if out.Type == "" {
		return Snapshot{}
	}
	d.known(m, at, func(key string) bool { return key == "type" || key == "id" || key == own }, false)
	if id, ok := m["id"]; ok {
		at := at.key("id")
		out.ID, ok = d.str(id, at)
		switch {
		case ok && out.ID == "":
			d.report(at, RuleRequired, "must not be empty")
		case ok && out.Type == SnapshotLocal && !isSegment(out.ID):
			d.report(at, RuleInvalidValue, "must be one path segment")
		}
	}
	return out
}

// tag reads the "type" of an object that has one, and returns "" after a fault.
func (d *decoder) tag(m map[string]any, at *place) string {
	v, at, ok := d.required(m, "type", at)
	if !ok {
		return ""
	}
	s, ok := d.str(v, at)
	if ok && s == "" {
		d.report(at, RuleRequired, "must not be empty")
	}
	return s
}

// isSegment reports whether s is one segment of a path on POSIX and Windows.
func isSegment(s string) bool {
	return s != "." && s != ".." && !strings.ContainsAny(s, "/\\\x00") && !isDrivePath(s)
}
