package sandbox

// SandboxRunConfig is the part of a [RunConfig] that asks for a sandbox.
//
// The format also has a live session, a handle to a sandbox that runs in the
// process of the caller. It has no field here, because it cannot be recorded;
// a map that holds one is refused with [RuleLiveSession].
//
//nolint:revive // the format's own name; RunConfig is what contains it
type SandboxRunConfig struct {
	// Client is the name of the provider.
	Client string `json:"client,omitzero"`
	// Options are the options for creating a sandbox. Nil means none.
	Options *ClientOptions `json:"options,omitzero"`
	// SessionState is the sandbox to resume. Nil means a new one.
	SessionState *SessionState `json:"session_state,omitzero"`
	// Manifest is the manifest of a new sandbox. Nil means the agent's own.
	Manifest *Manifest `json:"manifest,omitzero"`
	// Snapshot is the snapshot to start from, or where to store one. Nil means
	// the default of the host.
	Snapshot *Snapshot `json:"snapshot,omitzero"`
	// ConcurrencyLimits bound the filling of the workspace. Nil means the
	// defaults.
	ConcurrencyLimits *ConcurrencyLimits `json:"concurrency_limits,omitzero"`
	// ArchiveLimits bound the extraction of archives. Nil means no limits.
	ArchiveLimits *ArchiveLimits `json:"archive_limits,omitzero"`
	// Cwd is the directory, relative to the workspace root, that tools start
	// in. Empty means the root.
	Cwd string `json:"cwd,omitzero"`
}

// UnmarshalJSON reads c in [Lenient] mode. The error is an [*Error].
func (c *SandboxRunConfig) UnmarshalJSON(data []byte) error { return unmarshal(data, c) }

func (c SandboxRunConfig) tree() map[string]any {
	t := map[string]any{}
	if c.Client != "" {
		t["client"] = c.Client
	}
	if c.Options != nil {
		t["options"] = *c.Options
	}
	if c.SessionState != nil {
		t["session_state"] = *c.SessionState
	}
	if c.Manifest != nil {
		t["manifest"] = *c.Manifest
	}
	if c.Snapshot != nil {
		t["snapshot"] = *c.Snapshot
	}
	if c.ConcurrencyLimits != nil {
		t["concurrency_limits"] = *c.ConcurrencyLimits
	}
	if c.ArchiveLimits != nil {
		t["archive_limits"] = *c.ArchiveLimits
	}
	if c.Cwd != "" {
		t["cwd"] = c.Cwd
	}
	return t
}

func isSandboxKey(key string) bool {
	switch key {
	case "client", "options", "session", "session_state", "manifest", "snapshot", "concurrency_limits", "archive_limits", "cwd":
		return true
	default:
		return false
	}
}

func (d *decoder) sandboxConfig(v any, at *place) SandboxRunConfig {
	m, ok := d.fields(v, at)
	if !ok {
		return SandboxRunConfig{}
	}
	d.known(m, at, isSandboxKey, true)
	if !d.null(m, "session") {
		d.report(at.key("session"), RuleLiveSession, "must not be set: a live session exists in one process only and cannot be replayed")
	}
	out := SandboxRunConfig{
		Client: d.plainStr(m, "client", at),
		Cwd:    d.cwd(m, at),
	}
	if !d.null(m, "options") {
		options := d.options(m["options"], at.key("options"), out.Client)
		out.Options = &options
	}
	if !d.null(m, "session_state") {
		state := d.state(m["session_state"], at.key("session_state"))
		out.SessionState = &state
	}
	if !d.null(m, "manifest") {
		manifest := d.manifest(m["manifest"], at.key("manifest"), true)
		out.Manifest = &manifest
	}
	if !d.null(m, "snapshot") {
		snapshot := d.snapshot(m["snapshot"], at.key("snapshot"))
		out.Snapshot = &snapshot
	}
	if v, ok := m["concurrency_limits"]; ok {
		l := &ConcurrencyLimits{}
		d.limits(v, at.key("concurrency_limits"), map[string]*Limit{
			"manifest_entries": &l.ManifestEntries,
			"local_dir_files":  &l.LocalDirFiles,
		})
		out.ConcurrencyLimits = l
	}
	if !d.null(m, "archive_limits") {
		l := &ArchiveLimits{}
		d.limits(m["archive_limits"], at.key("archive_limits"), map[string]*Limit{
			"max_input_bytes":     &l.MaxInputBytes,
			"max_extracted_bytes": &l.MaxExtractedBytes,
			"max_members":         &l.MaxMembers,
		})
		out.ArchiveLimits = l
	}
	return out
}

// cwd reads the start directory, which must stay below the root.
func (d *decoder) cwd(m map[string]any, at *place) string {
	s := d.plainStr(m, "cwd", at)
	if d.strict() && s != "" {
		d.mountPath(s, at.key("cwd"))
		if isAbsolute(s) {
			d.report(at.key("cwd"), RuleEntryPathAbsolute, "must be relative to the workspace root")
		}
	}
	return s
}
