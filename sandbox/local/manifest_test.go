package local_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

const id = "5b8f7c1e-2222-4333-8444-555555555555"

func create(t *testing.T, b *local.Backend, m sandbox.Manifest) backend.Sandbox {
	t.Helper()
	s, err := b.Create(t.Context(), backend.Spec{ID: id, Manifest: m})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func started(t *testing.T, b *local.Backend, m sandbox.Manifest) backend.Sandbox {
	t.Helper()
	s := create(t, b, m)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// sh runs a script and returns what it put out.
func sh(t *testing.T, s backend.Sandbox, script string) string {
	t.Helper()
	var out strings.Builder
	result, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", script}, Stdout: &out})
	if err != nil || result.ExitCode != 0 {
		t.Fatalf("script %q: exit code %d, %v", script, result.ExitCode, err)
	}
	return out.String()
}

// TestRefusedManifests checks that what cannot be done as asked is refused before anything is made, and named by the
// path of the entry only where that is a plain name.
func TestRefusedManifests(t *testing.T) {
	file := sandbox.Entry{Type: sandbox.EntryFile}
	entry := func(e sandbox.Entry) sandbox.Manifest {
		return sandbox.Manifest{Entries: map[string]sandbox.Entry{"dir": {Type: sandbox.EntryDir, Children: map[string]sandbox.Entry{"e": e}}}}
	}
	repo := func(change func(*sandbox.Entry)) sandbox.Manifest {
		e := sandbox.Entry{Type: sandbox.EntryGitRepo, Repo: "owner/name", Ref: "main"}
		change(&e)
		return entry(e)
	}
	mode := func(owner, group, other int) sandbox.Manifest {
		return entry(sandbox.Entry{Type: sandbox.EntryFile, Permissions: &sandbox.Permissions{Owner: owner, Group: group, Other: other}})
	}
	host := "/srv"
	for _, c := range []struct {
		name string
		m    sandbox.Manifest
		o    *sandbox.ClientOptions
		code backend.Code
		want string
	}{
		{"users", sandbox.Manifest{Users: []sandbox.User{{Name: "agent"}}}, nil, backend.ConfigInvalid, "users and groups"},
		{"groups", sandbox.Manifest{Groups: []sandbox.Group{{Name: "team"}}}, nil, backend.ConfigInvalid, "users and groups"},
		{"grants", sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv"}}}, nil, backend.ConfigInvalid, "path grants need a launcher that isolates"},
		{"host path", sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv", HostPath: &host}}}, nil, backend.ConfigInvalid, "path grants need a launcher that isolates"},
		{"docker", sandbox.Manifest{}, &sandbox.ClientOptions{Type: sandbox.ClientDocker, Image: "x"}, backend.ConfigInvalid, "unix_local"},
		{"ports", sandbox.Manifest{}, &sandbox.ClientOptions{Type: sandbox.ClientUnixLocal, ExposedPorts: []int{80}}, backend.ConfigInvalid, "ports"},
		{"relative root", sandbox.Manifest{Root: "work"}, nil, backend.ConfigInvalid, "root of the manifest"},
		{"root of all", sandbox.Manifest{Root: "/x/.."}, nil, backend.ConfigInvalid, "root of the manifest"},
		{"mount", entry(sandbox.Entry{Type: "s3_mount", Raw: json.RawMessage(`{"type":"s3_mount"}`)}), nil, backend.MountConfigInvalid, "dir/e is a mount"},
		{"unknown type", entry(sandbox.Entry{Type: "later"}), nil, backend.ConfigInvalid, "dir/e has a type"},
		{"group", entry(sandbox.Entry{Type: sandbox.EntryFile, Group: &sandbox.Group{Name: "team"}}), nil, backend.ConfigInvalid, "dir/e names a group"},
		{"mode over 7", mode(8, 0, 0), nil, backend.ConfigInvalid, "between 0 and 7"},
		{"mode below 0", mode(7, 0, -1), nil, backend.ConfigInvalid, "between 0 and 7"},
		{"same path", sandbox.Manifest{Entries: map[string]sandbox.Entry{"a/b": file, `a\.\b`: file}}, nil, backend.InvalidManifestPath, "two entries have the path a/b"},
		{"below a file", sandbox.Manifest{Entries: map[string]sandbox.Entry{"a": file, "a/b/c": file}}, nil, backend.InvalidManifestPath, "a/b/c is inside"},
		{"a path that is no name", sandbox.Manifest{Entries: map[string]sandbox.Entry{"a b/c": {Type: "later"}}}, nil, backend.ConfigInvalid, "entry 0/c"},
		{"source without root", entry(sandbox.Entry{Type: sandbox.EntryLocalFile, Src: "/etc/passwd"}), nil, backend.LocalFileRead, "root:relative"},
		{"source of no root", entry(sandbox.Entry{Type: sandbox.EntryLocalDir, Src: "other:x"}), nil, backend.LocalDirRead, "root:relative"},
		{"source up", entry(sandbox.Entry{Type: sandbox.EntryLocalDir, Src: "root:a/../../x"}), nil, backend.LocalDirRead, "root:relative"},
		{"absolute source", entry(sandbox.Entry{Type: sandbox.EntryLocalFile, Src: "root:/etc/passwd"}), nil, backend.LocalFileRead, "root:relative"},
		{"host with user-info", repo(func(e *sandbox.Entry) { e.Host = "user:pass@host" }), nil, backend.ConfigInvalid, "must name a host"},
		{"host as an option", repo(func(e *sandbox.Entry) { e.Host = "--upload-pack=x" }), nil, backend.ConfigInvalid, "must name a host"},
		{"repo up", repo(func(e *sandbox.Entry) { e.Repo = "../x" }), nil, backend.ConfigInvalid, "owner/name"},
		{"repo with a query", repo(func(e *sandbox.Entry) { e.Repo = "a/b?x" }), nil, backend.ConfigInvalid, "owner/name"},
		{"ref as an option", repo(func(e *sandbox.Entry) { e.Ref = "--upload-pack=x" }), nil, backend.ConfigInvalid, "as ref"},
		{"two refs", repo(func(e *sandbox.Entry) { e.Ref = "a:b" }), nil, backend.ConfigInvalid, "as ref"},
		{"subpath up", repo(func(e *sandbox.Entry) { e.Subpath = "a/../.." }), nil, backend.GitSubpath, "subpath"},
		{"absolute subpath", repo(func(e *sandbox.Entry) { e.Subpath = "/a" }), nil, backend.GitSubpath, "subpath"},
		{"subpath of Windows", repo(func(e *sandbox.Entry) { e.Subpath = `a\b` }), nil, backend.GitSubpath, "subpath"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBackend(t, func(o *local.Options) { o.Roots = map[string]string{"root": t.TempDir()} })
			_, err := b.Create(t.Context(), backend.Spec{ID: id, Manifest: c.m, Options: c.o})
			if backend.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v with the code %q, want %q with %q", err, backend.CodeOf(err), c.code, c.want)
			}
			if ids, err := b.List(t.Context()); err != nil || len(ids) > 0 {
				t.Errorf("sandboxes: %v, %v", ids, err)
			}
		})
	}
}

// TestLocalSources checks what is copied from the host, and that one bad source keeps everything from being written.
func TestLocalSources(t *testing.T) {
	host := t.TempDir()
	put := func(name, content string, mode os.FileMode) {
		t.Helper()
		name = filepath.Join(host, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(host, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, filepath.Join(host, name)); err != nil {
			t.Fatal(err)
		}
	}
	put("in/file", "file", 0o600)
	put("in/tool", "#!/bin/sh\necho ran\n", 0o755)
	put("in/sub/deep", "deep", 0o644)
	put("linked/file", "file", 0o600)
	link("file", "linked/link")
	link("in", "alias")
	link("in/file", "file-alias")
	put("outside", "outside", 0o600)

	roots := map[string]string{"host": filepath.Join(host, "in"), "all": host}
	b := newBackend(t, func(o *local.Options) { o.Roots = roots })
	s := started(t, b, sandbox.Manifest{Entries: map[string]sandbox.Entry{
		"copy":    {Type: sandbox.EntryLocalFile, Src: "host:file"},
		"dir":     {Type: sandbox.EntryLocalDir, Src: "host:."},
		"sub":     {Type: sandbox.EntryLocalDir, Src: "all:in/sub"},
		"created": {Type: sandbox.EntryLocalDir},
		"dir2":    {Type: sandbox.EntryLocalDir, Src: "all:in"},
	}})
	want := "copy\ndir/file\ndir/sub/deep\ndir/tool\ndir2/file\ndir2/sub/deep\ndir2/tool\nsub/deep\n"
	if got := sh(t, s, "find * -type f | sort"); got != want {
		t.Errorf("files\n%s", cmp.Diff(want, got))
	}
	if got := sh(t, s, "dir/tool; cat copy sub/deep; ls -d created"); got != "ran\nfiledeepcreated\n" {
		t.Errorf("contents %q", got)
	}
	if err := s.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		e    sandbox.Entry
		code backend.Code
	}{
		{sandbox.Entry{Type: sandbox.EntryLocalFile, Src: "all:missing"}, backend.LocalFileRead},
		{sandbox.Entry{Type: sandbox.EntryLocalFile, Src: "all:in"}, backend.LocalFileRead},
		{sandbox.Entry{Type: sandbox.EntryLocalFile, Src: "all:file-alias"}, backend.LocalFileRead},
		{sandbox.Entry{Type: sandbox.EntryLocalFile, Src: "all:alias/file"}, backend.LocalFileRead},
		{sandbox.Entry{Type: sandbox.EntryLocalDir, Src: "all:alias"}, backend.LocalDirRead},
		{sandbox.Entry{Type: sandbox.EntryLocalDir, Src: "all:alias/sub"}, backend.LocalDirRead},
		{sandbox.Entry{Type: sandbox.EntryLocalDir, Src: "all:linked"}, backend.LocalDirRead},
		{sandbox.Entry{Type: sandbox.EntryLocalDir, Src: "all:outside"}, backend.LocalDirRead},
		{sandbox.Entry{Type: sandbox.EntryLocalDir, Src: "all:."}, backend.LocalDirRead},
	} {
		s := create(t, b, sandbox.Manifest{Entries: map[string]sandbox.Entry{"a": {Type: sandbox.EntryFile}, "e": c.e}})
		err := s.Start(t.Context())
		if backend.CodeOf(err) != c.code || strings.Contains(err.Error(), host) {
			t.Errorf("%s %s: %v with the code %q, want %q", c.e.Type, c.e.Src, err, backend.CodeOf(err), c.code)
		}
		if _, err := s.Read(t.Context(), "a"); backend.CodeOf(err) != backend.ReadNotFound {
			t.Errorf("%s %s: an entry was written: %v", c.e.Type, c.e.Src, err)
		}
		if running, _ := s.Running(t.Context()); running {
			t.Error("the sandbox runs")
		}
		if err := s.Delete(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNoGit checks that a host without git says so, before anything is written.
func TestNoGit(t *testing.T) {
	b := newBackend(t, func(o *local.Options) { o.Path = t.TempDir() })
	s := create(t, b, sandbox.Manifest{Entries: map[string]sandbox.Entry{
		"a":    {Type: sandbox.EntryFile},
		"repo": {Type: sandbox.EntryGitRepo, Repo: "owner/name", Ref: "main"},
	}})
	if err := s.Start(t.Context()); backend.CodeOf(err) != backend.GitMissing {
		t.Errorf("start: %v", err)
	}
	if _, err := s.Read(t.Context(), "a"); backend.CodeOf(err) != backend.ReadNotFound {
		t.Errorf("an entry was written: %v", err)
	}
}
