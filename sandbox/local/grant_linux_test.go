package local_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestGrants checks what manifests get of the paths that the worker names, and that they get nothing else.
func TestGrants(t *testing.T) {
	data := t.TempDir()
	for name, content := range map[string]string{"open/a": "granted\n", "open/below/b": "below\n", "closed/c": "hidden\n"} {
		p := filepath.Join(data, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"link", "drop"} {
		if err := os.Mkdir(filepath.Join(data, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(data, "drop"), 0o777); err != nil {
		t.Fatal(err)
	}
	paths := []local.Path{
		{Path: "/srv/data", Source: filepath.Join(data, "open")},
		{Path: "/srv/link", Source: filepath.Join(data, "link")},
		{Path: "/srv/drop", Source: filepath.Join(data, "drop"), Writable: true},
		{Path: "/srv/again", Source: filepath.Join(data, "drop")},
	}
	if refused(t, local.Native) {
		return
	}
	b := newBackend(t, func(o *local.Options) { o.Launcher, o.Paths = local.Native, paths })
	grants := func(g ...sandbox.PathGrant) sandbox.Manifest { return sandbox.Manifest{ExtraPathGrants: g} }
	host := data
	for name, c := range map[string]struct {
		m    sandbox.Manifest
		want string
	}{
		"unlisted":         {grants(sandbox.PathGrant{Path: "/srv/other", ReadOnly: true}), "nothing behind the path grant /srv/other"},
		"beside":           {grants(sandbox.PathGrant{Path: "/srv/data/../drop2", ReadOnly: true}), "nothing behind the path grant /srv/drop2"},
		"around":           {grants(sandbox.PathGrant{Path: "/srv", ReadOnly: true}), "nothing behind"},
		"to write":         {grants(sandbox.PathGrant{Path: "/srv/data"}), "must be read_only"},
		"host path":        {grants(sandbox.PathGrant{Path: "/srv/data", ReadOnly: true, HostPath: &host}), "must not have a host_path"},
		"below a writable": {grants(sandbox.PathGrant{Path: "/srv/drop/in/it", ReadOnly: true}, sandbox.PathGrant{Path: "/srv/drop"}), "/srv/drop/in/it must not lie below one that can be written"},
		"below its alias":  {grants(sandbox.PathGrant{Path: "/srv/again/in", ReadOnly: true}, sandbox.PathGrant{Path: "/srv/again", ReadOnly: true}, sandbox.PathGrant{Path: "/srv/drop"}), "/srv/again/in must not lie below"},
		"in a workspace":   {sandbox.Manifest{Root: "/srv", ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/data", ReadOnly: true}}}, "outside the workspace"},
		"around a folder":  {sandbox.Manifest{Root: "/srv/data/x", ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/data", ReadOnly: true}}}, "outside the workspace"},
	} {
		_, err := b.Create(t.Context(), backend.Spec{ID: id, Manifest: c.m})
		if backend.CodeOf(err) != backend.ConfigInvalid || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), data) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	// It separates what a launcher is told.
	_, err := b.Create(t.Context(), backend.Spec{ID: id, Manifest: grants(sandbox.PathGrant{Path: "/srv/data/a\x00--bind\x00/\x00/host", ReadOnly: true})})
	if backend.CodeOf(err) != backend.InvalidManifestPath {
		t.Errorf("NUL: %v", err)
	}
	s := started(t, b, grants(sandbox.PathGrant{Path: "/srv/data/below", ReadOnly: true}, sandbox.PathGrant{Path: "/srv/drop"}))
	got := sh(t, s, "cat /srv/data/below/b; ls /srv/data; touch /srv/data/below/x 2>/dev/null || echo read-only; echo out >/srv/drop/out; ls "+data+" 2>/dev/null || echo no host")
	if diff := cmp.Diff("below\nbelow\nread-only\nno host\n", got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if out, err := os.ReadFile(filepath.Join(data, "drop", "out")); err != nil || string(out) != "out\n" {
		t.Errorf("written %q, %v", out, err)
	}
	linked, err := b.Create(t.Context(), backend.Spec{ID: "0c9d8e7f-1111-4222-8333-444444444444", Manifest: grants(sandbox.PathGrant{Path: "/srv/link", ReadOnly: true})})
	if err == nil {
		err = linked.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(filepath.Join(data, "link")), os.Symlink("closed", filepath.Join(data, "link"))); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := linked.Exec(t.Context(), backend.Command{Args: []string{"cat", "/srv/link/c"}, Stdout: &out}); backend.CodeOf(err) != backend.ExecTransport || out.Len() > 0 {
		t.Errorf("through a link: %v, %q", err, out.String())
	}
}
