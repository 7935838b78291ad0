package local_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestPersistBounds checks that a command cannot have the host go through a workspace without end: each bound from both
// sides. What is just within them is taken by Hydrate with the same limits.
func TestPersistBounds(t *testing.T) {
	const depth = 256 // how many directories something may be in
	inside := func(n int) string { return strings.Repeat("d/", n) }
	for _, c := range []struct {
		name   string
		limits sandbox.ArchiveLimits
		make   string // a script that makes a workspace within the limits
		over   string // what is too much then
		want   string
	}{
		{"members", sandbox.ArchiveLimits{MaxMembers: 4}, "mkdir d; touch d/a d/b", "touch d/c", "Options.Archives.MaxMembers"},
		{"what is left out", sandbox.ArchiveLimits{MaxMembers: 3}, "mkfifo a b", "mkfifo c", "Options.Archives.MaxMembers"},
		{"looks at links", sandbox.ArchiveLimits{MaxMembers: 5}, "mkdir d; ln -s d/../d/../d l", "ln -snf d/../d/../d/../d l", "Options.Archives.MaxMembers"},
		{"depth of a file", sandbox.ArchiveLimits{}, "mkdir -p " + inside(depth) + "; touch " + inside(depth) + "a", "mkdir -p " + inside(depth+1) + "; touch " + inside(depth+1) + "a", "256 directories"},
		{"depth of a directory", sandbox.ArchiveLimits{}, "mkdir -p " + inside(depth+1), "mkdir -p " + inside(depth+2), "256 directories"},
		{"size", sandbox.ArchiveLimits{MaxExtractedBytes: 2000}, "printf %1000d 1 > a; printf %1000d 1 > b", "printf 1 > c", "Options.Archives.MaxExtractedBytes"},
		{"size of a hole", sandbox.ArchiveLimits{}, "true", "truncate -s 5G a", "Options.Archives.MaxExtractedBytes"},
		// A directory and two files are 512 bytes each, and the end is 1024.
		{"archive", sandbox.ArchiveLimits{MaxInputBytes: 5 * 512}, "touch a b", "touch c", "MaxInputBytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "sandboxes")
			b := newBackend(t, func(o *local.Options) { o.Archives, o.Dir = c.limits, dir })
			s := started(t, b, sandbox.Manifest{})
			sh(t, s, c.make)
			var out bytes.Buffer
			if err := s.Persist(t.Context(), &out); err != nil {
				t.Fatalf("within the limits: %v", err)
			}
			clearWorkspace(t, dir, id)
			if err := s.Hydrate(t.Context(), bytes.NewReader(out.Bytes())); err != nil {
				t.Errorf("hydrate: %v", err)
			}
			clearWorkspace(t, dir, id)
			sh(t, s, c.make+"; "+c.over)
			err := s.Persist(t.Context(), &bytes.Buffer{})
			if backend.CodeOf(err) != backend.ArchiveRead || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "could not be read") {
				t.Errorf("over the limits: %v, want %q", err, c.want)
			}
		})
	}
}

// TestPersistSkips checks that what is kept out of archives can be as much as it likes.
func TestPersistSkips(t *testing.T) {
	b := newBackend(t, func(o *local.Options) { o.Archives.MaxMembers = 2 })
	s := started(t, b, sandbox.Manifest{Entries: map[string]sandbox.Entry{"cache": {Type: sandbox.EntryDir, Ephemeral: true}}})
	sh(t, s, "touch cache/a cache/b cache/c; mkdir -p cache/"+strings.Repeat("d/", 300))
	if err := s.Persist(t.Context(), &bytes.Buffer{}); err != nil {
		t.Error(err)
	}
}

// TestDeepArchive checks that Hydrate takes nothing that Persist would not write.
func TestDeepArchive(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	for n, taken := range map[int]bool{256: true, 257: false} {
		data, ok := listed("f " + strings.Repeat("d/", n) + "a")
		if !ok {
			t.Fatal("there is no such archive")
		}
		err := s.Hydrate(t.Context(), bytes.NewReader(data))
		if taken != (err == nil) || err != nil && (backend.CodeOf(err) != backend.ArchiveWrite || !strings.Contains(err.Error(), "256 directories")) {
			t.Errorf("a file in %d directories: %v", n, err)
		}
	}
}
