package sandbox

// DefaultRoot is the workspace root of a manifest that names none.
const DefaultRoot = "/workspace"

// Manifest describes the workspace of a sandbox: the files and mounts it
// starts with, its environment, accounts and the paths outside the workspace
// that it may use.
//
// The zero Manifest is the default manifest: an empty workspace at
// [DefaultRoot]. Nil slices and maps are left out of the JSON form, empty ones
// are written as empty, so that a value survives encoding and decoding as it
// was; nothing is ever written as null. A Manifest is safe for concurrent
// reading; the caller synchronises writes.
//
// Credentials belong into Environment as [EnvSecret] values. They travel as
// references.
type Manifest struct {
	// Version is the version of the format. 0 and 1 both mean version 1, the
	// only one there is.
	Version int `json:"version,omitzero"`
	// Root is the absolute POSIX path of the workspace inside the sandbox.
	// Empty means [DefaultRoot].
	Root string `json:"root,omitzero"`
	// Entries are the files, directories and mounts of the workspace by their
	// path relative to Root.
	Entries map[string]Entry `json:"entries,omitzero"`
	// Environment holds the environment variables of the sandbox.
	Environment Environment `json:"environment,omitzero"`
	// Users are the accounts that are created in the sandbox.
	Users []User `json:"users,omitzero"`
	// Groups are the groups that are created in the sandbox.
	Groups []Group `json:"groups,omitzero"`
	// ExtraPathGrants are the absolute paths outside Root that the sandbox may
	// use.
	ExtraPathGrants []PathGrant `json:"extra_path_grants,omitzero"`
	// RemoteMountCommandAllowlist is advice for the model: the commands that
	// work well on remote mounts. Nothing enforces it. Nil means the default
	// list, an empty slice means none; see [Manifest.RemoteMountCommands].
	RemoteMountCommandAllowlist []string `json:"remote_mount_command_allowlist,omitzero"`
}

// User is an account of the sandbox.
type User struct {
	// Name is the name of the account. Required.
	Name string `json:"name"`
}

// Group is a group of the sandbox. Where an entry names the group that owns it
// only Name matters.
type Group struct {
	// Name is the name of the group. Required.
	Name string `json:"name"`
	// Users are the members. Nil and empty mean the same and are both written
	// as an empty list, which is what readers of the format require.
	Users []User `json:"users"`
}

// RemoteMountCommands returns the commands that m advises for remote mounts:
// its own list, or a copy of the default one when it has none.
func (m Manifest) RemoteMountCommands() []string { return nil }

// ToMap returns the canonical map form of m.
func (m Manifest) ToMap() map[string]any { return nil }

// Digest returns the SHA-256 of the canonical form of m in lower-case hex.
func (m Manifest) Digest() (string, error) { return "", nil }
