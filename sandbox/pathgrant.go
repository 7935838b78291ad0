package sandbox

// PathGrant lets a sandbox use an absolute path outside its workspace root.
type PathGrant struct {
	// Path is the absolute POSIX path inside the sandbox. Required.
	Path string `json:"path"`
	// ReadOnly refuses writes below Path.
	ReadOnly bool `json:"read_only,omitzero"`
	// Description says what the grant is for. Nil means none.
	Description *string `json:"description,omitzero"`
	// HostPath binds Path to a path of the worker's host. Policy decides about
	// it; no message ever shows it.
	HostPath *string `json:"host_path,omitzero"`
}
