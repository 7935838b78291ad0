package local_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// other is the id of a second sandbox.
const other = "6c8f7c1e-2222-4333-8444-555555555555"

// fuzzed returns two sandboxes for archives, and the directory that they are in.
func fuzzed(f *testing.F) (s, second backend.Sandbox, dir string) {
	f.Helper()
	dir = filepath.Join(f.TempDir(), "sandboxes")
	b, err := local.New(local.Options{Dir: dir, Launcher: local.Unisolated, Archives: sandbox.ArchiveLimits{MaxExtractedBytes: 1 << 20, MaxMembers: 100}})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = b.Close() })
	var both [2]backend.Sandbox
	for i, name := range []string{id, other} {
		both[i], err = b.Create(f.Context(), backend.Spec{ID: name})
		if err == nil {
			err = both[i].Start(f.Context())
		}
		if err != nil {
			f.Fatal(err)
		}
	}
	return both[0], both[1], dir
}

// hydrate puts an archive into a sandbox that is empty. It writes nothing if it refuses, and never anything outside.
func hydrate(t *testing.T, s backend.Sandbox, dir string, data []byte) error {
	t.Helper()
	err := s.Hydrate(t.Context(), bytes.NewReader(data))
	if err != nil && backend.CodeOf(err) != backend.ArchiveWrite {
		t.Errorf("hydrate: %v", err)
	}
	written, readErr := os.ReadDir(filepath.Join(dir, id, "workspace"))
	if readErr != nil || err != nil && len(written) > 0 {
		t.Errorf("workspace after %v: %v, %v", err, written, readErr)
	}
	for in, want := range map[string]string{
		dir + "/..":            "sandboxes",
		dir:                    ".lock " + id + " " + other,
		filepath.Join(dir, id): "filled run workspace",
	} {
		var names []string
		entries, err := os.ReadDir(in)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("beside the workspace: %q, want %q", got, want)
		}
	}
	return err
}

// clearWorkspace empties a workspace.
func clearWorkspace(t *testing.T, dir, name string) {
	t.Helper()
	workspace := filepath.Join(dir, name, "workspace")
	entries, err := os.ReadDir(workspace)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(workspace, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzHydrate checks that no archive writes outside the workspace, and that one that is refused writes nothing.
func FuzzHydrate(f *testing.F) {
	f.Add(archive(f, tar.Header{Name: "./", Typeflag: tar.TypeDir}, "", tar.Header{Name: "a/b", Mode: 0o755}, "x", tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "a"}, ""))
	f.Add(archive(f, tar.Header{Name: "../x"}, "x"))
	f.Add(archive(f, tar.Header{Name: "/x"}, "x"))
	f.Add(archive(f, tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "../.."}, "", tar.Header{Name: "l/x"}, "x"))
	f.Add(archive(f, tar.Header{Name: "h", Typeflag: tar.TypeLink, Linkname: "/etc/passwd"}, ""))
	f.Add([]byte("BZh91AY&SY"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	s, _, dir := fuzzed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		defer clearWorkspace(t, dir, id)
		_ = hydrate(t, s, dir, data)
	})
}

// FuzzMembers does the same with archives that are whole, whose members chance would not find; and what Persist makes of
// one that was taken is taken, too, and comes to the same.
func FuzzMembers(f *testing.F) {
	f.Add("d .\nf a/b\nl c=a/b\nl d=./c")
	f.Add("l up=../..\nf up/x")
	f.Add("d a\nl a/b=..\nl c=a/b/..\nf c/x")
	f.Add("l a=b\nl b=a\nf a")
	f.Add("f a\\b\nf /x\nl x=/etc")
	f.Add("d \xd9\nf \xd9/\xff\nl \xfe=\xd9/\xff")
	f.Add("f .sandboxguard-part-x\nd a/\nf a\n")
	s, second, dir := fuzzed(f)
	f.Fuzz(func(t *testing.T, list string) {
		defer clearWorkspace(t, dir, id)
		defer clearWorkspace(t, dir, other)
		data, ok := listed(list)
		if ok && hydrate(t, s, dir, data) == nil {
			var out, again bytes.Buffer
			if err := s.Persist(t.Context(), &out); err != nil {
				t.Fatalf("persist: %v", err)
			}
			if err := second.Hydrate(t.Context(), bytes.NewReader(out.Bytes())); err != nil {
				t.Fatalf("hydrate what was persisted: %v", err)
			}
			if err := second.Persist(t.Context(), &again); err != nil {
				t.Fatalf("persist again: %v", err)
			}
			if diff := cmp.Diff(contents(t, &out), contents(t, &again)); diff != "" {
				t.Errorf("persisted, and persisted again:\n%s", diff)
			}
		}
	})
}

// listed makes an archive of lines: "f NAME", "d NAME" and "l NAME=TARGET". It is not ok if none has such members.
func listed(list string) (data []byte, ok bool) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for line := range strings.SplitSeq(list, "\n") {
		kind, name, _ := strings.Cut(line, " ")
		h := tar.Header{Name: name, Mode: 0o644, Typeflag: tar.TypeReg, Size: 1}
		switch kind {
		case "f":
		case "d":
			h.Typeflag, h.Size = tar.TypeDir, 0
		case "l":
			h.Typeflag, h.Size = tar.TypeSymlink, 0
			h.Name, h.Linkname, _ = strings.Cut(name, "=")
		default:
			return nil, false
		}
		if w.WriteHeader(&h) != nil {
			return nil, false
		}
		if _, err := w.Write(make([]byte, h.Size)); err != nil {
			return nil, false
		}
	}
	closed := w.Close() == nil
	return out.Bytes(), closed
}

// contents are the members of an archive.
func contents(t *testing.T, data io.Reader) []string {
	t.Helper()
	var out []string
	for in := tar.NewReader(data); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, fmt.Sprintf("%c %q %q %d %o", h.Typeflag, h.Name, h.Linkname, h.Size, h.Mode))
	}
}
