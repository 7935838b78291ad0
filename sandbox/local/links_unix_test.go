//go:build linux || darwin

package local_test

import (
	"archive/tar"
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// TestLinksThroughLinks checks that a link may lead through another one, of the archive or of the workspace, but not up
// after it.
func TestLinksThroughLinks(t *testing.T) {
	link := func(name, target string) tar.Header {
		return tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: target}
	}
	for name, c := range map[string]struct {
		members []any
		taken   bool
	}{
		"to a link":               {[]any{link("p/q/up", "../.."), "", link("out", "p/q/up"), ""}, true},
		"down":                    {[]any{link("p/q/up", "../.."), "", link("out", "p/q/up/p"), ""}, true},
		"up before":               {[]any{link("p/q/up", "../.."), "", link("p/out", "../p/q/up/x"), ""}, true},
		"up":                      {[]any{link("p/q/up", "../.."), "", link("out", "p/q/up/../.."), ""}, false},
		"up before it is seen":    {[]any{link("out", "p/q/up/../.."), "", link("p/q/up", "../.."), ""}, false},
		"up later":                {[]any{link("p/q/up", "../.."), "", link("out", "p/q/./up//p/../../.."), ""}, false},
		"up through workspace":    {[]any{link("out", "d/e/link/../.."), ""}, false},
		"workspace link replaced": {[]any{tar.Header{Name: "d/e/link"}, "x", link("out", "d/e/link/../.."), ""}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := started(t, newBackend(t), sandbox.Manifest{})
			sh(t, s, "mkdir -p d/e; ln -s .. d/e/link")
			err := s.Hydrate(t.Context(), bytes.NewReader(archive(t, c.members...)))
			if c.taken != (err == nil) || err != nil && backend.CodeOf(err) != backend.ArchiveWrite {
				t.Errorf("hydrate: %v", err)
			}
			if got := sh(t, s, "ls"); !c.taken && got != "d\n" {
				t.Errorf("a refused archive left %q", got)
			}
		})
	}
}

// TestPersistWhatIsTaken checks that an archive of a workspace is taken back, whatever a command made in it.
func TestPersistWhatIsTaken(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	sh(t, s, `mkdir -p venv/bin lib 'back\slash'; echo x > 'back\slash/in'; echo x > 'a\b'; echo x > lib/f; mkfifo pipe
ln -s /usr/bin/python3 venv/bin/python3; ln -s python3 venv/bin/python; ln -s ../.. out; ln -s 'a\b' to-back
ln -s lib lib64; ln -s lib64/f good; ln -s lib64/../../x bad; ln -s "$PWD/lib" absolute`)
	var data bytes.Buffer
	if err := s.Persist(t.Context(), &data); err != nil {
		t.Fatal(err)
	}
	want := []string{"./", "./good", "./lib/", "./lib/f", "./lib64", "./venv/", "./venv/bin/", "./venv/bin/python"}
	if diff := cmp.Diff(want, persisted(t, s)); diff != "" {
		t.Errorf("members (-want +got)\n%s", diff)
	}
	if err := started(t, newBackend(t), sandbox.Manifest{}).Hydrate(t.Context(), &data); err != nil {
		t.Errorf("hydrate: %v", err)
	}
}
