package local_test

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// TestWireWrite gives a new file the mode that the worker's umask leaves, and keeps that of one that is there.
func TestWireWrite(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(plain)
	if err != nil {
		t.Fatal(err)
	}
	s := started(t, newBackend(t), sandbox.Manifest{})
	sh(t, s, "echo > old; chmod 751 old")
	for _, name := range []string{"new", "old"} {
		if err := s.Write(t.Context(), name, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := sh(t, s, "ls -ld new old | cut -c 1-10"), info.Mode().String()+"\n-rwxr-x--x\n"; got != want {
		t.Errorf("modes %q, want %q", got, want)
	}
}

// TestWireHydrate restores neither owner, group nor times of what it unpacks.
func TestWireHydrate(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	old := time.Unix(1e9, 0)
	data := archive(t, tar.Header{Name: "./", Typeflag: tar.TypeDir, Mode: 0o755, ModTime: old}, "",
		tar.Header{Name: "./a", Mode: 0o644, Uid: 4711, Gid: 4712, Uname: "daemon", Gname: "daemon", ModTime: old}, "x")
	if err := s.Hydrate(t.Context(), bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	got := sh(t, s, `echo > own; [ "$(ls -ln own | tr -s ' ' | cut -d ' ' -f 3,4)" = "$(ls -ln a | tr -s ' ' | cut -d ' ' -f 3,4)" ] && echo same owner; find a -mtime -300`)
	if diff := cmp.Diff("same owner\na\n", got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestWireHydrateXZ does not read archives that are packed with xz, and says what is wrong.
func TestWireHydrateXZ(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	err := s.Hydrate(t.Context(), strings.NewReader("\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46"+strings.Repeat("\x00", 1024)))
	if backend.CodeOf(err) != backend.ArchiveWrite || !strings.Contains(err.Error(), "not a readable tar archive") {
		t.Errorf("hydrate: %v", err)
	}
	if got := sh(t, s, "ls -A"); got != "" {
		t.Errorf("the workspace has %q", got)
	}
}
