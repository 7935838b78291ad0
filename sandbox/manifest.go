package sandbox

import (
	"slices"
	"strings"
)

// DefaultRoot is the workspace root of a manifest that names none.
const DefaultRoot = "/workspace"

// Manifest describes the workspace of a sandbox: the files and mounts it
// starts with, its environment, its accounts and the paths outside the
// workspace that it may use.
//
// The zero Manifest is the default manifest: an empty workspace at
// [DefaultRoot]. Nil slices and maps are left out of the JSON form and empty
// ones are written as empty, so that a value survives encoding and decoding as
// it was; nothing is ever written as null. A Manifest may be read from several
// goroutines at once; whoever writes to it synchronises.
//
// Credentials belong into Environment as [EnvSecret] values, which travel as
// references. Decoding a Manifest with encoding/json is [Lenient].
type Manifest struct {
	// Version is the version of the format. 0 and 1 both mean version 1, the
	// only one there is.
	Version int `json:"version,omitzero"`
	// Root is the absolute POSIX path of the workspace inside the sandbox.
	// Empty means [DefaultRoot]. The root "" of a foreign manifest, which no
	// sandbox can be started with, is read as ".".
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
	// list and an empty slice means none; see [Manifest.RemoteMountCommands].
	RemoteMountCommandAllowlist []string `json:"remote_mount_command_allowlist,omitzero"`
}

// RemoteMountCommands returns a copy of the commands that m advises for remote
// mounts: its own list, or the default one when it has none.
func (m Manifest) RemoteMountCommands() []string {
	if m.RemoteMountCommandAllowlist != nil {
		return slices.Clone(m.RemoteMountCommandAllowlist)
	}
	return strings.Fields("ls find stat cat less head tail du grep rg wc sort cut cp tee echo mkdir rm")
}

// ToMap returns m in map form: what [NormalizeManifest] accepts and what the
// JSON form decodes to, with exact integers (int64 or [encoding/json.Number])
// and references as tagged maps. The map shares nothing with m and holds no
// value of a secret, resolved or not. What has no JSON form, such as a malformed
// Raw object, is left out or null: normalise a value that may be wrong first.
//
//workflowcheck:ignore
func (m Manifest) ToMap() map[string]any { return toMap(m) }

// UnmarshalJSON reads m in [Lenient] mode. The error is an [*Error].
func (m *Manifest) UnmarshalJSON(data []byte) error { return unmarshal(data, m) }

func (m Manifest) tree() map[string]any {
	t := map[string]any{}
	if m.Version != 0 {
		t["version"] = m.Version
	}
	if m.Root != "" {
		t["root"] = m.Root
	}
	if m.Entries != nil {
		t["entries"] = m.Entries
	}
	if m.Environment.Values != nil {
		t["environment"] = m.Environment
	}
	if m.Users != nil {
		t["users"] = m.Users
	}
	if m.Groups != nil {
		t["groups"] = m.Groups
	}
	if m.ExtraPathGrants != nil {
		t["extra_path_grants"] = m.ExtraPathGrants
	}
	if m.RemoteMountCommandAllowlist != nil {
		t["remote_mount_command_allowlist"] = m.RemoteMountCommandAllowlist
	}
	return t
}

func isManifestKey(key string) bool {
	switch key {
	case "version", "root", "entries", "environment", "users", "groups", "extra_path_grants", "remote_mount_command_allowlist":
		return true
	default:
		return false
	}
}

// manifest reads a Manifest. closed says that unknown keys at its first level
// are faults in lenient mode too, as they are inside a run configuration.
func (d *decoder) manifest(v any, at *place, closed bool) Manifest {
	v = d.shape(v, at)
	_, typed := v.(Manifest)
	m, ok := d.fields(v, at)
	if !ok {
		return Manifest{}
	}
	d.known(m, at, isManifestKey, closed)
	out := Manifest{
		Version: d.version(m, at),
		Root:    d.root(m, at),
		Entries: d.entries(m, "entries", at),
	}
	if env, ok := m["environment"]; ok {
		out.Environment = d.environment(env, at.key("environment"))
	}
	if users, ok := m["users"]; ok {
		out.Users = d.users(users, at.key("users"))
	}
	if groups, ok := m["groups"]; ok {
		out.Groups = d.groups(groups, at.key("groups"))
	}
	if grants, ok := m["extra_path_grants"]; ok {
		out.ExtraPathGrants = d.grants(grants, at.key("extra_path_grants"), typed || d.trusted)
	}
	if commands, ok := m["remote_mount_command_allowlist"]; ok {
		out.RemoteMountCommandAllowlist = d.strs(commands, at.key("remote_mount_command_allowlist"))
	}
	return out
}

func (d *decoder) version(m map[string]any, at *place) int {
	v, ok := m["version"]
	if !ok {
		return 0
	}
	n, ok := d.integer(v, at.key("version"), true)
	if ok && n != 1 {
		d.report(at.key("version"), RuleInvalidValue, "must be 1")
	}
	return int(n)
}

func (d *decoder) root(m map[string]any, at *place) string {
	v, ok := m["root"]
	if !ok {
		return ""
	}
	at = at.key("root")
	root, ok := d.str(v, at)
	if !ok {
		return ""
	}
	d.noNUL(root, at)
	if d.strict() && (!strings.HasPrefix(root, "/") || escapes(root)) {
		d.report(at, RuleRootRelative, `must be an absolute POSIX path without ".." segments`)
	}
	if root == "" {
		return "."
	}
	return root
}

// toMap lifts a value of this package. Faults do not matter here: what has no
// JSON form is left null, and decoding it says so.
func toMap(v treer) map[string]any {
	d := &decoder{mode: Strict, trusted: true}
	m, ok := d.lift(v.tree(), nil, true).(map[string]any)
	if !ok {
		return map[string]any{}
	}
	return m
}
