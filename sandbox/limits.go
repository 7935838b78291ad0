package sandbox

// Limit is a number of at least one, or [Unlimited]. The zero Limit is the
// default of the field that holds it.
type Limit int64

// Unlimited is the Limit that does not limit. It is written as null.
const Unlimited Limit = -1

// ConcurrencyLimits bound the parallel work when a workspace is filled.
type ConcurrencyLimits struct {
	// ManifestEntries is the number of entries applied at once. Default 4.
	ManifestEntries Limit `json:"manifest_entries,omitzero"`
	// LocalDirFiles is the number of files copied at once. Default 4.
	LocalDirFiles Limit `json:"local_dir_files,omitzero"`
}

// ArchiveLimits bound the archives that a sandbox extracts.
type ArchiveLimits struct {
	// MaxInputBytes is the size of the archive in bytes. Default 1 GiB.
	MaxInputBytes Limit `json:"max_input_bytes,omitzero"`
	// MaxExtractedBytes is the size of its contents in bytes. Default 4 GiB.
	MaxExtractedBytes Limit `json:"max_extracted_bytes,omitzero"`
	// MaxMembers is the number of its members. Default 100,000.
	MaxMembers Limit `json:"max_members,omitzero"`
}
