package sandboxtest

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// tarOf returns an archive. A member's size is that of its content.
func tarOf(t *testing.T, members ...tarMember) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, m := range members {
		h := m.header
		if h.Typeflag == 0 {
			h.Typeflag = tar.TypeReg
		}
		if h.Typeflag == tar.TypeReg {
			h.Size = int64(len(m.content))
		}
		if h.Mode == 0 {
			h.Mode = 0o644
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatalf("header of %s: %v", h.Name, err)
		}
		if _, err := io.WriteString(w, m.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

type tarMember struct {
	header  tar.Header
	content string
}

func tarFile(name, content string) tarMember {
	return tarMember{tar.Header{Name: name}, content}
}

func tarKind(name string, kind byte) tarMember {
	return tarMember{header: tar.Header{Name: name, Typeflag: kind, Mode: 0o755}}
}

func tarLink(name, target string) tarMember {
	return tarMember{header: tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}}
}

// names lists an archive: directories end with a slash, links show their targets.
func names(t *testing.T, data []byte) []string {
	t.Helper()
	var out []string
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(out)
			return out
		}
		if err != nil {
			t.Fatalf("archive: %v", err)
		}
		name := path.Clean(h.Name)
		switch h.Typeflag {
		case tar.TypeDir:
			name += "/"
		case tar.TypeSymlink:
			name += " -> " + h.Linkname
		}
		if !strings.HasPrefix(h.Name, "./") && h.Name != "." {
			t.Errorf("the member %q is not relative to the root", h.Name)
		}
		if h.Uname != "" || h.Gname != "" {
			t.Errorf("the member %q names an account of the host", h.Name)
		}
		out = append(out, name)
	}
}

// archives are workspaces that go out and come back.
func (c Conformance) archives(t *testing.T) {
	m := sandbox.Manifest{Entries: map[string]sandbox.Entry{
		"cache":      {Type: sandbox.EntryDir, Ephemeral: true},
		"cache/file": {Type: sandbox.EntryFile, Content: "cached"},
		"once":       {Type: sandbox.EntryFile, Content: "once"},
		"dir": {Type: sandbox.EntryDir, Children: map[string]sandbox.Entry{
			"passing": {Type: sandbox.EntryFile, Ephemeral: true, Content: "passing"},
		}},
	}}
	b := c.New(t)
	s := created(t, b, idOne, m)
	start(t, s)
	write(t, s, "cache/later", "x")
	write(t, s, "cached", "a name that only begins alike")
	write(t, s, "once", "changed")
	write(t, s, "binary", "\x00\xff")
	data := archived(t, s)
	if diff := cmp.Diff([]string{"./", "binary", "cached", "dir/", "once"}, names(t, data)); diff != "" {
		t.Errorf("archive (-want +got)\n%s", diff)
	}
	back := created(t, b, idTwo, m)
	hydrate(t, back, data)
	start(t, back)
	for p, want := range map[string]string{
		"once": "changed", "binary": "\x00\xff", "dir/passing": "passing", "cached": "a name that only begins alike",
	} {
		if got := read(t, back, p); got != want {
			t.Errorf("after hydrate and start %s = %q, want %q", p, got, want)
		}
	}
	// What is there stays, files and links are replaced, directories replace files.
	hydrate(t, back, tarOf(t, tarKind("./", tar.TypeDir), tarFile("./once", "from tar"), tarLink("link", "dir/../once"),
		tarKind("binary/", tar.TypeDir), tarFile("binary/new", "x"), tarFile("no/dir/member", "y"), tarKind("dir", tar.TypeDir), tarKind("dir/", tar.TypeDir)))
	for p, want := range map[string]string{"once": "from tar", "link": "from tar", "binary/new": "x", "no/dir/member": "y", "cached": "a name that only begins alike"} {
		if got := read(t, back, p); got != want {
			t.Errorf("after the second hydrate %s = %q, want %q", p, got, want)
		}
	}
	if got := names(t, archived(t, back)); !slices.Contains(got, "link -> dir/../once") {
		t.Errorf("a link is not kept as a link: %q", got)
	}
	hydrate(t, back, tarOf(t, tarFile("link", "a file now")))
	if read(t, back, "link") != "a file now" || read(t, back, "once") != "from tar" {
		t.Error("a file was written through a link")
	}
	// Each of these links stays inside as a text, both together lead out: they are refused, or lead nowhere.
	if err := back.Hydrate(t.Context(), bytes.NewReader(tarOf(t, tarLink("here", "."), tarLink("out", "here/..")))); err != nil {
		wantCode(t, "hydrate of links that lead out together", err, backend.ArchiveWrite)
	} else {
		_, err := back.Read(t.Context(), "out/file")
		wantCode(t, "read through links that lead out", err, backend.InvalidManifestPath)
		wantCode(t, "write through links that lead out", back.Write(t.Context(), "out/file", nil), backend.InvalidManifestPath)
	}
	// Neither do they lead around in a circle.
	hydrate(t, back, tarOf(t, tarLink("a", "b"), tarLink("b", "a")))
	if _, err := back.Read(t.Context(), "a"); backend.CodeOf(err) == "" {
		t.Errorf("read of a circle of links: %v", err)
	}
}

func hydrate(t *testing.T, s backend.Sandbox, data []byte) {
	t.Helper()
	if err := s.Hydrate(t.Context(), bytes.NewReader(data)); err != nil {
		t.Fatalf("hydrate: %v", err)
	}
}

// unsafeArchives are refused, and nothing of them is written.
func (c Conformance) unsafeArchives(t *testing.T) {
	first := tarFile("first", "x")
	whole := tarOf(t, first, tarFile("second", strings.Repeat("x", 2000)))
	zipped := packed(t, whole)
	for _, u := range []struct {
		name string
		data []byte
	}{
		{"empty", nil},
		{"no tar", []byte(strings.Repeat("no tar at all. ", 100))},
		{"cut", whole[:1700]},
		{"cut gzip", zipped[:len(zipped)/2]},
		{"absolute member", tarOf(t, first, tarFile("/abs", ""))},
		{"up", tarOf(t, first, tarFile("../up", ""))},
		{"up inside", tarOf(t, first, tarFile("a/../b", ""))},
		{"drive", tarOf(t, first, tarFile("C:/x", ""))},
		{"backslash", tarOf(t, first, tarFile(`a\b`, ""))},
		{"hard link", tarOf(t, first, tarMember{header: tar.Header{Name: "l", Typeflag: tar.TypeLink, Linkname: "first"}})},
		{"named pipe", tarOf(t, first, tarKind("p", tar.TypeFifo))},
		{"device", tarOf(t, first, tarKind("d", tar.TypeChar))},
		{"same file twice", tarOf(t, first, tarFile("./first", "y"))},
		{"file and directory", tarOf(t, first, tarKind("first/", tar.TypeDir))},
		{"below a link", tarOf(t, first, tarKind("d/", tar.TypeDir), tarLink("l", "d"), tarFile("l/x", ""))},
		{"below a link that comes later", tarOf(t, first, tarFile("l/x", ""), tarLink("l", "d"))},
		{"below a file", tarOf(t, first, tarFile("first/x", ""))},
		{"absolute link", tarOf(t, first, tarLink("l", "/etc/passwd"))},
		{"link out", tarOf(t, first, tarLink("d/l", "../../x"))},
		{"empty link", tarOf(t, first, tarLink("l", ""))},
		{"root that is a file", tarOf(t, first, tarFile(".", "x"))},
		{"long name", tarOf(t, first, tarFile(strings.Repeat("n", 300), ""))},
		{"file in place of a directory", tarOf(t, first, tarFile("there", ""))},
		{"directory below a file of the workspace", tarOf(t, first, tarFile("file/x", ""))},
	} {
		t.Run(u.name, func(t *testing.T) {
			s := c.started(t, sandbox.Manifest{Entries: map[string]sandbox.Entry{
				"there": {Type: sandbox.EntryDir}, "file": {Type: sandbox.EntryFile},
			}})
			wantCode(t, "hydrate", s.Hydrate(t.Context(), bytes.NewReader(u.data)), backend.ArchiveWrite)
			if diff := cmp.Diff([]string{"./", "file", "there/"}, names(t, archived(t, s))); diff != "" {
				t.Errorf("workspace (-want +got)\n%s", diff)
			}
		})
	}
}
