package sandbox

// The types of snapshots.
const (
	SnapshotNoop   = "noop"
	SnapshotLocal  = "local"
	SnapshotRemote = "remote"
)

// Snapshot is a stored workspace, or, when ID is empty, the specification of
// where one is to be stored.
type Snapshot struct {
	Type                string `json:"type"`
	ID                  string `json:"id,omitzero"`
	BasePath            string `json:"base_path,omitzero"`
	ClientDependencyKey string `json:"client_dependency_key,omitzero"`
}

// IsSpec reports whether s is a specification, which has no id.
func (s Snapshot) IsSpec() bool { return s.ID == "" }
