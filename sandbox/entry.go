package sandbox

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// The types of entries that are read into fields. Every other type that ends in
// "_mount" is a remote mount, which is kept as a raw object.
const (
	EntryFile      = "file"
	EntryDir       = "dir"
	EntryLocalFile = "local_file"
	EntryLocalDir  = "local_dir"
	EntryGitRepo   = "git_repo"
)

// Entry is one file, directory, repository or mount of a workspace. Type says
// which, and with it which of the other fields may be set; what is set beyond
// them is written too, and refused by a strict decoder. The zero Entry is
// invalid.
type Entry struct {
	// Type is the kind of the entry. Required.
	Type string `json:"type"`
	// Description says what the entry is for. Nil means none.
	Description *string `json:"description,omitzero"`
	// Ephemeral keeps the entry out of snapshots.
	Ephemeral bool `json:"ephemeral,omitzero"`
	// Group is the group that owns the entry. Nil means the default.
	Group *Group `json:"group,omitzero"`
	// Permissions are the permission bits. Nil means 755.
	Permissions *Permissions `json:"permissions,omitzero"`
	// Content is the text of a file. It must be valid UTF-8: the format cannot
	// hold other content.
	Content string `json:"content,omitzero"`
	// Src is the path of a local_file or local_dir on the worker's host. For a
	// local_dir, empty means that the directory is only created.
	Src string `json:"src,omitzero"`
	// Children are the entries of a dir by their relative path.
	Children map[string]Entry `json:"children,omitzero"`
	// Host is the host of a git_repo. Empty means github.com.
	Host string `json:"host,omitzero"`
	// Repo is the repository of a git_repo, as owner/name.
	Repo string `json:"repo,omitzero"`
	// Ref is the tag, branch or commit of a git_repo.
	Ref string `json:"ref,omitzero"`
	// Subpath is the part of a git_repo that is copied. Empty means all of it.
	Subpath string `json:"subpath,omitzero"`
	// Raw is the whole object of a remote mount, "type" included. Decoders make
	// it canonical: sorted keys, no blanks, exact numbers. The other fields
	// stay empty then. No secret can stand in a mount; see [Entry.RawKeys].
	Raw json.RawMessage `json:"-"`
}

// Permissions are the permission bits of an entry: for each of the three a mask
// of 4 (read), 2 (write) and 1 (execute). The zero Permissions allow nothing.
type Permissions struct {
	// Owner is the mask of the owner.
	Owner int `json:"owner"`
	// Group is the mask of the group.
	Group int `json:"group"`
	// Other is the mask of everybody else.
	Other int `json:"other"`
	// Directory says that the entry is a directory. Decoders set it for every
	// type that is one.
	Directory bool `json:"directory"`
}

// IsDir reports whether an entry of this type is a directory, as mounts are.
func (e Entry) IsDir() bool { return e.Type != EntryFile && e.Type != EntryLocalFile }

// IsMount reports whether e is a remote mount, of a known kind or not.
func (e Entry) IsMount() bool { return strings.HasSuffix(e.Type, "_mount") }

// RawKeys returns the JSON pointers, within the object of a remote mount, of all
// its keys at every depth whose value is not null, sorted. It is how a rule
// checks mounts by key name, for credentials among others. A key that is not a
// name appears as its index, as in [Fault].
//
//workflowcheck:ignore
func (e Entry) RawKeys() []string { return rawKeys(e.Raw) }

// ToMap returns e in map form. It shares nothing with e.
//
//workflowcheck:ignore
func (e Entry) ToMap() map[string]any { return toMap(e) }

// MarshalJSON writes e: the fields of its type, the others only when they are
// set, and the raw object of a remote mount as it is.
func (e Entry) MarshalJSON() ([]byte, error) {
	if len(e.Raw) > 0 {
		d := &decoder{mode: Strict}
		tree := d.lift(e, nil, false)
		if err := d.err(); err != nil {
			return nil, err
		}
		return canonical(tree)
	}
	if !utf8.ValidString(e.Content) {
		return nil, newError([]Fault{{Path: "/content", Rule: RuleInvalidText, Detail: "must be valid UTF-8"}})
	}
	type plain Entry
	wire := struct {
		plain
		Content *string `json:"content,omitzero"`
		Src     *string `json:"src,omitzero"`
		Repo    *string `json:"repo,omitzero"`
		Ref     *string `json:"ref,omitzero"`
	}{plain: plain(e)}
	for _, f := range []struct {
		name  string
		value *string
		wire  **string
	}{{"content", &e.Content, &wire.Content}, {"src", &e.Src, &wire.Src}, {"repo", &e.Repo, &wire.Repo}, {"ref", &e.Ref, &wire.Ref}} {
		if *f.value != "" || entryRequires(e.Type, f.name) {
			*f.wire = f.value
		}
	}
	return json.Marshal(wire)
}

// UnmarshalJSON reads e in [Lenient] mode. The error is an [*Error].
func (e *Entry) UnmarshalJSON(data []byte) error { return unmarshal(data, e) }

// entryRequires reports whether entries of a type have a key that is written
// even when it is empty.
func entryRequires(typ, key string) bool {
	switch key {
	case "content":
		return typ == EntryFile
	case "src":
		return typ == EntryLocalFile
	case "repo", "ref":
		return typ == EntryGitRepo
	default:
		return false
	}
}

// isEntryKey reports the keys of entries of a type that is read into fields.
func isEntryKey(typ, key string) bool {
	switch key {
	case "type", "description", "ephemeral", "group", "is_dir", "permissions":
		return true
	case "content":
		return typ == EntryFile
	case "children":
		return typ == EntryDir
	case "src":
		return typ == EntryLocalFile || typ == EntryLocalDir
	case "host", "repo", "ref", "subpath":
		return typ == EntryGitRepo
	default:
		return false
	}
}

func (e Entry) rawObject() json.RawMessage { return e.Raw }

func (e Entry) tree() map[string]any { return rawTree(e) }

func (e Entry) ownTree() map[string]any {
	t := map[string]any{"type": e.Type}
	if e.Description != nil {
		t["description"] = *e.Description
	}
	if e.Ephemeral {
		t["ephemeral"] = true
	}
	if e.Group != nil {
		t["group"] = *e.Group
	}
	if e.Permissions != nil {
		t["permissions"] = *e.Permissions
	}
	if e.Children != nil {
		t["children"] = e.Children
	}
	for _, f := range []struct{ name, value string }{
		{"content", e.Content},
		{"src", e.Src},
		{"host", e.Host},
		{"repo", e.Repo},
		{"ref", e.Ref},
		{"subpath", e.Subpath},
	} {
		if f.value != "" || entryRequires(e.Type, f.name) {
			t[f.name] = f.value
		}
	}
	return t
}

func (p Permissions) tree() map[string]any {
	return map[string]any{"owner": p.Owner, "group": p.Group, "other": p.Other, "directory": p.Directory}
}
