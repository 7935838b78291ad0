package local_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// closed is the mode of what commands may not read: of another account where each sandbox has its own.
func closed() fs.FileMode {
	if os.Geteuid() == 0 {
		return 0o700
	}
	return 0
}

// put makes a file, with the directories on the way, with the mode whatever the umask.
func put(t *testing.T, mode fs.FileMode, content string, elem ...string) {
	t.Helper()
	name := filepath.Join(elem...)
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	if err == nil {
		err = errors.Join(os.WriteFile(name, []byte(content), 0o600), os.Chmod(name, mode))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// grantedBox is a sandbox with path grants, and the directory that they are in.
func grantedBox(t *testing.T) (s backend.Sandbox, host string) {
	t.Helper()
	host = t.TempDir()
	put(t, 0o644, "granted\n", host, "data", "a")
	put(t, 0o644, "below\n", host, "data", "below", "b")
	put(t, closed(), "secret\n", host, "data", "owner")
	put(t, closed()|closed()>>3&0o040, "secret\n", host, "data", "group")
	put(t, 0o644, "secret\n", host, "data", "shut", "c")
	put(t, 0o644, "hidden\n", host, "data", "inner", "hidden")
	put(t, 0o644, "inner\n", host, "other", "d")
	put(t, 0o644, "outside\n", host, "outside")
	put(t, 0o666, "a single file\n", host, "single")
	put(t, 0o666, "before\n", host, "drop", "there")
	put(t, 0o644, "before\n", host, "drop", "full", "f")
	err := errors.Join(
		os.Chmod(filepath.Join(host, "data", "shut"), closed()), os.Chmod(filepath.Join(host, "drop"), 0o777),
		os.Chmod(filepath.Join(host, "drop", "full"), 0o555), os.Chmod(filepath.Join(host, "other"), 0o777),
		os.Symlink("below/b", filepath.Join(host, "data", "link")), os.Symlink("../outside", filepath.Join(host, "data", "out")),
		os.Symlink("data", filepath.Join(host, "linked")),
	)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(host, "data", "shut"), 0o700) })
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(host, "drop", "full"), 0o700) })
	b := newBackend(t, isolated, func(o *local.Options) {
		o.Paths = []local.Path{
			{Path: "/srv/data", Source: filepath.Join(host, "data")},
			{Path: "/srv/data/inner", Source: filepath.Join(host, "other"), Writable: true},
			{Path: "/srv/drop", Source: filepath.Join(host, "drop"), Writable: true},
			{Path: "/srv/single", Source: filepath.Join(host, "single"), Writable: true},
		}
	})
	return started(t, b, sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{
		{Path: "/srv/data/inner"}, {Path: "/srv/data", ReadOnly: true}, {Path: "/srv/drop"}, {Path: "/srv/single"},
	}}), host
}

// wantCode checks an error of a file operation: its code, and that it names nothing of the host.
func wantCode(t *testing.T, what string, err error, want backend.Code, host string) {
	t.Helper()
	if backend.CodeOf(err) != want || err != nil && strings.Contains(err.Error(), host) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

// TestReadGranted checks that Read reaches below path grants what a command can read there, and nothing else.
func TestReadGranted(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	s, host := grantedBox(t)
	for name, c := range map[string]struct {
		want string
		code backend.Code
	}{
		"/srv/data/a":                    {want: "granted\n"},
		"/srv/data/./below/../a":         {want: "granted\n"},
		"/srv/data/below/b":              {want: "below\n"},
		"/srv/data/link":                 {want: "below\n"},
		"/srv/data/inner/d":              {want: "inner\n"},
		"/srv/single":                    {want: "a single file\n"},
		"/srv/data/owner":                {code: backend.ArchiveRead},
		"/srv/data/group":                {code: backend.ArchiveRead},
		"/srv/data/shut/c":               {code: backend.ArchiveRead},
		"/srv/data/below":                {code: backend.ArchiveRead},
		"/srv/data":                      {code: backend.ArchiveRead},
		"/srv/single/x":                  {code: backend.ArchiveRead},
		"/srv/data/none":                 {code: backend.ReadNotFound},
		"/srv/data/inner/hidden":         {code: backend.ReadNotFound},
		"/srv/data/out":                  {code: backend.InvalidManifestPath},
		"/srv/data/../outside":           {code: backend.InvalidManifestPath},
		"/srv/database":                  {code: backend.InvalidManifestPath},
		"/srv":                           {code: backend.InvalidManifestPath},
		"srv/data/a":                     {code: backend.ReadNotFound},
		"/srv/data/a\x00":                {code: backend.InvalidManifestPath},
		filepath.Join(host, "data", "a"): {code: backend.InvalidManifestPath},
	} {
		data, err := s.Read(t.Context(), name)
		wantCode(t, name, err, c.code, host)
		if diff := cmp.Diff(c.want, string(data)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
		if strings.ContainsRune(name, 0) || c.code == backend.InvalidManifestPath || !strings.HasPrefix(name, "/srv/") {
			continue
		}
		if got := sh(t, s, "cat "+name+" 2>/dev/null || true"); got != c.want {
			t.Errorf("%s: a command reads %q", name, got)
		}
	}
}

// TestWriteGranted checks what Write changes below path grants, and whose it is then.
func TestWriteGranted(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	s, host := grantedBox(t)
	single, err := os.Stat(filepath.Join(host, "single"))
	if err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]backend.Code{
		"/srv/drop/there":     "",
		"/srv/drop/new/dir/x": "",
		"/srv/single":         "",
		"/srv/data/inner/new": "",
		"/srv/data/a":         backend.ArchiveWrite,
		"/srv/data/new":       backend.ArchiveWrite,
		"/srv/drop":           backend.ArchiveWrite,
		"/srv/drop/full/f":    backend.ArchiveWrite,
		"/srv/drop/full/g":    backend.ArchiveWrite,
		"/srv/single/x":       backend.ArchiveWrite,
		"/srv/dropped":        backend.InvalidManifestPath,
	} {
		wantCode(t, name, s.Write(t.Context(), name, []byte("after\n")), code, host)
	}
	var refusal *backend.Error
	if err := s.Write(t.Context(), "/srv/data/a", nil); !errors.As(err, &refusal) || !refusal.NotBegun || !strings.Contains(err.Error(), "is read-only") {
		t.Errorf("below a grant to read: %v", err)
	}
	got := map[string]string{}
	if err := errors.Join(os.Chmod(filepath.Join(host, "data", "shut"), 0o700), fs.WalkDir(os.DirFS(host), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "owner" || d.Name() == "group" {
			return err
		}
		data, err := os.ReadFile(filepath.Join(host, name))
		got[name] = string(data)
		return err
	})); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{
		"data/a": "granted\n", "data/below/b": "below\n", "data/shut/c": "secret\n", "data/inner/hidden": "hidden\n",
		"other/d": "inner\n", "other/new": "after\n", "outside": "outside\n", "single": "after\n",
		"drop/there": "after\n", "drop/full/f": "before\n", "drop/new/dir/x": "after\n",
	}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	info, err := os.Stat(filepath.Join(host, "drop", "there"))
	if err != nil || info.Mode().Perm() != 0o666 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(host, "single")); err != nil || !os.SameFile(info, single) {
		t.Errorf("a granted file is another one: %v", err)
	}
	sh(t, s, ": >/srv/drop/mine")
	account := owner(t, filepath.Join(host, "drop", "mine"))[0]
	for _, name := range []string{"new", "new/dir", "new/dir/x", "there"} {
		if got := owner(t, filepath.Join(host, "drop", name))[0]; got != account {
			t.Errorf("%s belongs to %d, want %d", name, got, account)
		}
	}
	if got := sh(t, s, "cat /srv/drop/new/dir/x; echo more >>/srv/drop/new/dir/x && stat -c %u /srv/drop/new"); got != "after\n1000\n" {
		t.Errorf("a command sees %q", got)
	}
}

// TestGrantedDirectory checks that commands start below path grants.
func TestGrantedDirectory(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	s, host := grantedBox(t)
	for dir, want := range map[string]string{
		"/srv/data": "/srv/data", "/srv/data/below/": "/srv/data/below", "/srv/data/inner": "/srv/data/inner", "/srv/drop/./full": "/srv/drop/full",
		"/srv/single": "", "/srv/data/a": "", "/srv/data/none": "", "/srv/data/shut/x": "", "/srv/data/out": "", "/srv": "", "/usr": "",
	} {
		var out strings.Builder
		_, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", `pwd -P; echo "$PWD"`}, Dir: dir, Stdout: &out})
		code, lines := backend.ExecTransport, ""
		if want != "" {
			code, lines = "", want+"\n"+want+"\n"
		}
		wantCode(t, dir, err, code, host)
		if out.String() != lines {
			t.Errorf("%s: printed %q", dir, out.String())
		}
	}
}

// TestGoneGrant checks what operations and starts say where nothing is behind a grant any more, or a link on the way.
func TestGoneGrant(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	for name, spoil := range map[string]func(dir string) error{
		"none": func(dir string) error { return os.RemoveAll(dir) },
		"link": func(dir string) error { return errors.Join(os.Rename(dir, dir+"was"), os.Symlink(dir+"was", dir)) },
		"link on the way": func(dir string) error {
			parent := filepath.Dir(dir)
			return errors.Join(os.Rename(parent, parent+"was"), os.Symlink(parent+"was", parent))
		},
	} {
		t.Run(name, func(t *testing.T) {
			host := t.TempDir()
			put(t, 0o644, "x", host, "in", "data", "a")
			b := newBackend(t, isolated, func(o *local.Options) {
				o.Paths = []local.Path{{Path: "/srv/data", Source: filepath.Join(host, "in", "data"), Writable: true}}
			})
			m := sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/data"}}}
			s := started(t, b, m)
			if err := spoil(filepath.Join(host, "in", "data")); err != nil {
				t.Fatal(err)
			}
			fresh, err := b.Create(t.Context(), backend.Spec{ID: otherID, Manifest: m})
			if err != nil {
				t.Fatal(err)
			}
			_, read := s.Read(t.Context(), "/srv/data/a")
			_, exec := s.Exec(t.Context(), backend.Command{Args: []string{"true"}})
			_, below := s.Exec(t.Context(), backend.Command{Args: []string{"true"}, Dir: "/srv/data"})
			for what, c := range map[string]struct {
				err  error
				code backend.Code
			}{
				"start": {fresh.Start(t.Context()), backend.ConfigInvalid},
				"read":  {read, backend.ArchiveRead},
				"write": {s.Write(t.Context(), "/srv/data/a", nil), backend.ArchiveWrite},
				"exec":  {exec, backend.ExecTransport},
				"below": {below, backend.ExecTransport},
			} {
				wantCode(t, what, c.err, c.code, host)
				if c.err == nil || !strings.Contains(c.err.Error(), "nothing behind the path grant /srv/data,") {
					t.Errorf("%s: %v", what, c.err)
				}
			}
		})
	}
}
