package sandbox

import "encoding/json"

// Limit is a number of at least one, or [Unlimited]. The zero Limit is the
// default of the field that holds it.
type Limit int64

// Unlimited is the Limit that does not limit. It is written as null.
const Unlimited Limit = -1

// MarshalJSON writes l as a number, and [Unlimited] as null.
func (l Limit) MarshalJSON() ([]byte, error) { return json.Marshal(l.node()) }

// UnmarshalJSON reads a number of at least one, or null.
func (l *Limit) UnmarshalJSON(data []byte) error {
	d := &decoder{mode: Lenient}
	v := d.limit(map[string]any{"": d.parse(data, nil)}, "", nil)
	if err := d.err(); err != nil {
		return err
	}
	*l = v
	return nil
}

func (l Limit) node() any {
	if l == Unlimited {
		return nil
	}
	return int64(l)
}

// ConcurrencyLimits bound the parallel work when a workspace is filled. The
// zero value holds the defaults.
type ConcurrencyLimits struct {
	// ManifestEntries is the number of entries applied at once. Default 4.
	ManifestEntries Limit `json:"manifest_entries,omitzero"`
	// LocalDirFiles is the number of files copied at once. Default 4.
	LocalDirFiles Limit `json:"local_dir_files,omitzero"`
}

// ArchiveLimits bound the archives that a sandbox extracts. The zero value
// holds the defaults; no limits at all are a nil pointer.
type ArchiveLimits struct {
	// MaxInputBytes is the size of the archive in bytes. Default 1 GiB.
	MaxInputBytes Limit `json:"max_input_bytes,omitzero"`
	// MaxExtractedBytes is the size of its contents in bytes. Default 4 GiB.
	MaxExtractedBytes Limit `json:"max_extracted_bytes,omitzero"`
	// MaxMembers is the number of its members. Default 100,000.
	MaxMembers Limit `json:"max_members,omitzero"`
}

func (l ConcurrencyLimits) tree() map[string]any {
	return limitTree(map[string]Limit{"manifest_entries": l.ManifestEntries, "local_dir_files": l.LocalDirFiles})
}

func (l ArchiveLimits) tree() map[string]any {
	return limitTree(map[string]Limit{
		"max_input_bytes":     l.MaxInputBytes,
		"max_extracted_bytes": l.MaxExtractedBytes,
		"max_members":         l.MaxMembers,
	})
}

func limitTree(limits map[string]Limit) map[string]any {
	t := map[string]any{}
	for key, l := range limits {
		if l != 0 {
			t[key] = l.node()
		}
	}
	return t
}

// limits reads an object of limits into the fields by their keys.
func (d *decoder) limits(v any, at *place, into map[string]*Limit) {
	m, ok := d.fields(v, at)
	if !ok {
		return
	}
	d.known(m, at, func(key string) bool { return into[key] != nil }, true)
	for _, key := range sortedKeys(into) {
		*into[key] = d.limit(m, key, at)
	}
}

func (d *decoder) limit(m map[string]any, key string, at *place) Limit {
	v, ok := m[key]
	if !ok {
		return 0
	}
	if d.null(m, key) {
		return Unlimited
	}
	n, ok := d.integer(v, at.key(key), true)
	if ok && n < 1 {
		d.report(at.key(key), RuleInvalidValue, "must be at least 1, or null for no limit")
		return 0
	}
	return Limit(n)
}
