package sandbox

import "encoding/json"

// The types of entries that are decoded into fields. Every other type that
// ends in "_mount" is a remote mount and kept as a raw object.
const (
	EntryFile      = "file"
	EntryDir       = "dir"
	EntryLocalFile = "local_file"
	EntryLocalDir  = "local_dir"
	EntryGitRepo   = "git_repo"
)

// Entry is one file, directory, repository or mount of a workspace. Type says
// which, and with it which of the other fields may be set.
type Entry struct {
	Type        string           `json:"type"`
	Description *string          `json:"description,omitzero"`
	Ephemeral   bool             `json:"ephemeral,omitzero"`
	Group       *Group           `json:"group,omitzero"`
	Permissions *Permissions     `json:"permissions,omitzero"`
	Content     string           `json:"content,omitzero"`
	Src         string           `json:"src,omitzero"`
	Children    map[string]Entry `json:"children,omitzero"`
	Host        string           `json:"host,omitzero"`
	Repo        string           `json:"repo,omitzero"`
	Ref         string           `json:"ref,omitzero"`
	Subpath     string           `json:"subpath,omitzero"`
	// Raw is the whole object of a remote mount, its "type" included.
	Raw json.RawMessage `json:"-"`
}

// Permissions are the permission bits of an entry.
type Permissions struct {
	Owner     int  `json:"owner"`
	Group     int  `json:"group"`
	Other     int  `json:"other"`
	Directory bool `json:"directory"`
}

// IsDir reports whether an entry of this type is a directory.
func (e Entry) IsDir() bool { return e.Type != EntryFile && e.Type != EntryLocalFile }

// IsMount reports whether e is a remote mount.
func (e Entry) IsMount() bool { return false }

// RawKeys returns the JSON pointers of the keys of e.Raw whose value is not
// null, at every depth, sorted.
func (e Entry) RawKeys() []string { return nil }

// ToMap returns the map form of e.
func (e Entry) ToMap() map[string]any { return nil }
