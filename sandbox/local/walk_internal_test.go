package local

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// TestWalkWhileChanged goes through a directory that is changed meanwhile: what went away is left out, and a link that came
// in the place of a directory is not followed.
func TestWalkWhileChanged(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(at string) error // in the place of b, when it is visited
		want   []string
		fails  bool
	}{
		{"nothing", func(string) error { return nil }, []string{".", "a", "b", "b/in", "c"}, false},
		{"removed", os.RemoveAll, []string{".", "a", "b", "c"}, false},
		{"a link", func(at string) error { return errors.Join(os.RemoveAll(at), os.Symlink("a", at)) }, []string{".", "a", "b"}, true},
		{"a file", func(at string) error { return errors.Join(os.RemoveAll(at), os.WriteFile(at, nil, 0o600)) }, []string{".", "a", "b"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"a", "b/in", "c"} {
				if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer root.Close()
			var got []string
			w := walker{root: root, most: sandbox.Unlimited, visit: func(name string, _ fs.DirEntry) error {
				got = append(got, name)
				if name == "b" {
					return c.change(filepath.Join(dir, name))
				}
				return nil
			}}
			if err := w.walk(); c.fails != (err != nil) {
				t.Errorf("walk: %v", err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("visited (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWalkStops checks that a directory with too much in it is not read to its end.
func TestWalkStops(t *testing.T) {
	dir := t.TempDir()
	const there, most = 5000, 1500
	for i := range there {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	w := walker{root: root, most: most, visit: func(name string, _ fs.DirEntry) error {
		if name != "." {
			t.Errorf("%s was visited", name)
		}
		return nil
	}}
	if err := w.walk(); !errors.Is(err, errTooMany) || w.seen > most+1024 {
		t.Errorf("read %d of %d entries: %v", w.seen, there, err)
	}
}
