package local_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestExposed checks that New refuses what commands cannot be shown, or must not be, and names the entry and no path.
func TestExposed(t *testing.T) {
	host := t.TempDir()
	put(t, 0o644, "x", host, "good", "file")
	if err := os.Symlink("good", filepath.Join(host, "link")); err != nil {
		t.Fatal(err)
	}
	refusing := refused(t, local.Native)
	at := func(elem ...string) string { return filepath.Join(append([]string{host}, elem...)...) }
	for name, c := range map[string]struct {
		paths  []string
		system []string
		want   []string
		after  bool // whether it is looked at only once the launcher has shown that it works
	}{
		"nothing there":    {paths: []string{at("good"), at("gone")}, want: []string{"Paths[1]: there is nothing at its Source"}},
		"below a file":     {paths: []string{at("good", "file", "x")}, want: []string{"Paths[0]: there is nothing at its Source"}},
		"a link":           {paths: []string{at("good"), at("good", "file"), at("link")}, want: []string{"Paths[2]: there is a symbolic link"}},
		"a link above":     {paths: []string{at("link", "file")}, want: []string{"Paths[0]: there is a symbolic link"}},
		"system":           {system: []string{at("good"), at("gone")}, want: []string{"System[1] cannot be shown"}},
		"all of it":        {paths: []string{at("gone"), at("link")}, system: []string{at("gone")}, want: []string{"Paths[0]", "Paths[1]", "System[0]"}},
		"around Dir":       {paths: []string{at("good"), host}, want: []string{"the Source of Paths[1] must lie apart from Dir"}, after: true},
		"Dir itself":       {paths: []string{at("boxes")}, want: []string{"the Source of Paths[0] must lie apart from Dir"}, after: true},
		"a sandbox of it":  {paths: []string{at("boxes", "one")}, want: []string{"the Source of Paths[0] must lie apart from Dir"}, after: true},
		"beside Dir":       {paths: []string{at("boxes2")}, after: true},
		"a link of System": {system: []string{at("link"), at("to boxes")}, want: []string{"System[1] must lie apart from Dir"}, after: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := local.Options{Dir: at("boxes"), System: c.system}
			for _, dir := range []string{"boxes", "boxes/one", "boxes2"} {
				if err := os.MkdirAll(at(dir), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			_ = os.Symlink("boxes", at("to boxes")) // from the second time on it is there
			for _, source := range c.paths {
				o.Paths = append(o.Paths, local.Path{Path: "/srv/data", Source: source})
			}
			b, err := local.New(o)
			if err == nil {
				defer func() { _ = b.Close() }()
			}
			switch {
			case refusing && c.after:
				if err == nil {
					t.Error("a launcher that this host refuses was taken")
				}
				return
			case (err == nil) != (c.want == nil):
				t.Fatalf("New: %v", err)
			case err == nil:
				return
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), "local: "+want) {
					t.Errorf("%v, want %q", err, want)
				}
			}
			if strings.Contains(err.Error(), host) || strings.Contains(err.Error(), "isolate") {
				t.Errorf("the error names the host: %v", err)
			}
		})
	}
}
