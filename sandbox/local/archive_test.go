package local_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// archive returns a tar archive with what is given by header and content.
func archive(tb testing.TB, members ...any) []byte {
	tb.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := 0; i < len(members); i += 2 {
		h, content := members[i].(tar.Header), members[i+1].(string)
		if h.Typeflag == 0 {
			h.Typeflag, h.Size = tar.TypeReg, int64(len(content))
		}
		if err := w.WriteHeader(&h); err != nil {
			tb.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// packedOf packs an archive with gzip.
func packedOf(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestHydrateModes checks the modes that files and directories of an archive get.
func TestHydrateModes(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	var members []any
	for name, mode := range map[string]int64{"all": 0o777, "none": 0, "exec": 0o711, "others": 0o055, "setuid": 0o6755, "plain": 0o644} {
		members = append(members, tar.Header{Name: name, Mode: mode}, "x")
	}
	members = append(members, tar.Header{Name: "dir/", Typeflag: tar.TypeDir, Mode: 0o2555}, "", tar.Header{Name: "dir/in", Mode: 0o444}, "x")
	if err := s.Hydrate(t.Context(), bytes.NewReader(archive(t, members...))); err != nil {
		t.Fatal(err)
	}
	want := "-rwxr-xr-x all\ndrwxr-xr-x dir\n-rw-r--r-- dir/in\n-rwx--x--x exec\n-rw------- none\n-rw-r--r-- others\n-rw-r--r-- plain\n-rwxr-xr-x setuid\n"
	got := sh(t, s, "for f in all dir dir/in exec none others plain setuid; do ls -ld $f | cut -c 1-10 | tr '\\n' ' '; echo $f; done")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("modes (-want +got)\n%s", diff)
	}
}

// TestArchiveLimits checks each limit from both sides, and that no limit is none.
func TestArchiveLimits(t *testing.T) {
	data := archive(t, tar.Header{Name: "a"}, strings.Repeat("a", 1000), tar.Header{Name: "b"}, strings.Repeat("b", 1000))
	packed := packedOf(t, archive(t, tar.Header{Name: "a"}, strings.Repeat("a", 1<<20)))
	for _, c := range []struct {
		name   string
		limits sandbox.ArchiveLimits
		data   []byte
		taken  bool
	}{
		{"input", sandbox.ArchiveLimits{MaxInputBytes: sandbox.Limit(len(data))}, data, true},
		{"input over", sandbox.ArchiveLimits{MaxInputBytes: sandbox.Limit(len(data) - 1)}, data, false},
		{"extracted", sandbox.ArchiveLimits{MaxExtractedBytes: 2000}, data, true},
		{"extracted over", sandbox.ArchiveLimits{MaxExtractedBytes: 1999}, data, false},
		{"packed over", sandbox.ArchiveLimits{MaxExtractedBytes: 1<<20 - 1}, packed, false},
		{"packed", sandbox.ArchiveLimits{MaxExtractedBytes: 1 << 20}, packed, true},
		{"members", sandbox.ArchiveLimits{MaxMembers: 2}, data, true},
		{"members over", sandbox.ArchiveLimits{MaxMembers: 1}, data, false},
		{"none", sandbox.ArchiveLimits{MaxInputBytes: sandbox.Unlimited, MaxExtractedBytes: sandbox.Unlimited, MaxMembers: sandbox.Unlimited}, data, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := started(t, newBackend(t, func(o *local.Options) { o.Archives = c.limits }), sandbox.Manifest{})
			err := s.Hydrate(t.Context(), bytes.NewReader(c.data))
			if c.taken != (err == nil) || err != nil && (backend.CodeOf(err) != backend.ArchiveWrite || !strings.Contains(err.Error(), "limits")) {
				t.Errorf("hydrate: %v", err)
			}
			if _, err := s.Read(t.Context(), "a"); c.taken != (err == nil) {
				t.Errorf("read: %v", err)
			}
		})
	}
}

// bzipped is an archive with the file "a" that holds "x", packed with bzip2.
const bzipped = "QlpoOTFBWSZTWdAWe8AAAGzbgMmAYABlgAAA4AAeQAgIIABUNJ6gANDQIooGhtQB9xYlEPcQRKjqrFb65oJAQXkZgTmUFdVL4XJC92zN6aIgHxdyRThQkNAWe8A="

func TestPacked(t *testing.T) {
	data, err := base64.StdEncoding.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	s := started(t, newBackend(t), sandbox.Manifest{})
	if err := s.Hydrate(t.Context(), bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Read(t.Context(), "a"); err != nil || string(got) != "x" {
		t.Errorf("read: %q, %v", got, err)
	}
}

// TestLinksOut checks that links that lead out of the workspace are followed by nothing, however they came there.
func TestLinksOut(t *testing.T) {
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := started(t, newBackend(t), sandbox.Manifest{})
	sh(t, s, "mkdir in; echo inside > in/file; ln -s in/file good; ln -s "+outside+" absolute; ln -s ../../.. up; ln -s $PWD/in/file through; ln -s "+outside+"/new dangling; mkfifo pipe; ln -s loop loop")
	if got, err := s.Read(t.Context(), "good"); err != nil || string(got) != "inside\n" {
		t.Errorf("a link inside: %q, %v", got, err)
	}
	if err := s.Write(t.Context(), "good", []byte("changed")); err != nil || sh(t, s, "cat in/file; readlink good") != "changedin/file\n" {
		t.Errorf("a write through a link inside: %v", err)
	}
	for _, p := range []string{"absolute/secret", "absolute", "up", "up/x", "through", "dangling", "absolute/new/x"} {
		if _, err := s.Read(t.Context(), p); backend.CodeOf(err) != backend.InvalidManifestPath {
			t.Errorf("read of %s: %v", p, err)
		}
		if err := s.Write(t.Context(), p, []byte("x")); backend.CodeOf(err) != backend.InvalidManifestPath {
			t.Errorf("write of %s: %v", p, err)
		}
	}
	if _, err := s.Read(t.Context(), "pipe"); backend.CodeOf(err) != backend.ArchiveRead {
		t.Errorf("read of a named pipe: %v", err)
	}
	if err := s.Write(t.Context(), "pipe", nil); backend.CodeOf(err) != backend.ArchiveWrite {
		t.Errorf("write of a named pipe: %v", err)
	}
	if _, err := s.Read(t.Context(), "loop"); backend.CodeOf(err) != backend.ArchiveRead {
		t.Errorf("read of a loop: %v", err)
	}
	for _, data := range [][]byte{
		archive(t, tar.Header{Name: "absolute/secret", Mode: 0o600}, "x"),
		archive(t, tar.Header{Name: "up/secret", Mode: 0o600}, "x"),
		archive(t, tar.Header{Name: "through/x", Mode: 0o600}, "x"),
	} {
		if err := s.Hydrate(t.Context(), bytes.NewReader(data)); backend.CodeOf(err) != backend.ArchiveWrite {
			t.Errorf("hydrate through a link: %v", err)
		}
	}
	var out bytes.Buffer
	if err := s.Persist(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out.Bytes(), []byte("outside")) || bytes.Contains(out.Bytes(), []byte("pipe")) {
		t.Error("the archive has what is outside, or a named pipe")
	}
	if data, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(data) != "outside" {
		t.Errorf("outside: %q, %v", data, err)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside: %v, %v", entries, err)
	}
	if err := s.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(outside, "secret")); err != nil {
		t.Errorf("delete followed a link: %v", err)
	}
}

// TestReadLimit checks that no file fills the worker's memory.
func TestReadLimit(t *testing.T) {
	s := started(t, newBackend(t, func(o *local.Options) { o.MaxFileBytes = 4 }), sandbox.Manifest{})
	sh(t, s, "printf 1234 > small; printf 12345 > large")
	if got, err := s.Read(t.Context(), "small"); err != nil || string(got) != "1234" {
		t.Errorf("small: %q, %v", got, err)
	}
	if _, err := s.Read(t.Context(), "large"); backend.CodeOf(err) != backend.ArchiveRead {
		t.Errorf("large: %v", err)
	}
}

// TestLostWorkspace checks what is said when the directory went away.
func TestLostWorkspace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sandboxes")
	s := started(t, newBackend(t, func(o *local.Options) { o.Dir = dir }), sandbox.Manifest{})
	if err := os.RemoveAll(filepath.Join(dir, id)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(t.Context(), "x"); backend.CodeOf(err) != backend.RootNotFound {
		t.Errorf("read: %v", err)
	}
	if _, err := s.Exec(t.Context(), backend.Command{Args: []string{"true"}}); backend.CodeOf(err) != backend.RootNotFound {
		t.Errorf("exec: %v", err)
	}
	if err := s.Persist(t.Context(), &bytes.Buffer{}); backend.CodeOf(err) != backend.ArchiveRead {
		t.Errorf("persist: %v", err)
	}
	if err := s.Delete(t.Context()); err != nil {
		t.Errorf("delete: %v", err)
	}
}
