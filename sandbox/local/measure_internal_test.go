//go:build linux || darwin

package local

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// blocks is what a file of the host takes.
func blocks(t *testing.T, name string) int64 {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return occupied(info)
}

func rooted(t *testing.T) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return dir, root
}

// TestMeasure checks what is counted, and how often.
func TestMeasure(t *testing.T) {
	dir, root := rooted(t)
	other := filepath.Join(t.TempDir(), "other")
	data := make([]byte, 100_000)
	sparse := func(name string) error {
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		return errors.Join(f.Truncate(1<<30), f.Close())
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.MkdirAll(at("a/b"), 0o755), os.WriteFile(at("a/b/f"), data, 0o600), os.Link(at("a/b/f"), at("linked")), os.Link(at("a/b/f"), at("a/linked")),
		os.WriteFile(other, data, 0o600), os.Symlink(other, at("link")), os.Symlink(filepath.Dir(other), at("linked-dir")),
		os.WriteFile(at("empty"), nil, 0o600), sparse(at("sparse")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := int64(2 * inodeSize) // of the links
	for _, name := range []string{"a", "a/b", "a/b/f", "link", "linked-dir", "empty", "sparse"} {
		want += blocks(t, at(name))
	}
	size, files, err := measure(t.Context(), root, math.MaxInt64)
	if err != nil || size != want || files != 9 || want < 100_000 || want > 1<<20 {
		t.Errorf("%d in %d files, %v, want %d in 9", size, files, err, want)
	}
	for enough, all := range map[int64]bool{want: true, want - 1: false, 0: false} {
		size, files, err := measure(t.Context(), root, enough)
		if err != nil || all && size != want || !all && size <= enough || enough == 0 && files != 1 {
			t.Errorf("up to %d: %d in %d files, %v", enough, size, files, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	if _, _, err := measure(ctx, root, math.MaxInt64); !errors.Is(err, stopped) {
		t.Errorf("when it is stopped: %v", err)
	}
}

// TestMeasureDeep checks that a tree that is too deep is no small one.
func TestMeasureDeep(t *testing.T) {
	dir, root := rooted(t)
	if err := os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", maxDepth)), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, files, err := measure(t.Context(), root, math.MaxInt64); err != nil || files != maxDepth {
		t.Errorf("%d directories, %v", files, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", maxDepth+1)), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, _, err := measure(t.Context(), root, math.MaxInt64); !errors.Is(err, errTooDeep) {
		t.Errorf("deeper: %v", err)
	}
}

// TestMeasureWide checks that names are read bit by bit.
func TestMeasureWide(t *testing.T) {
	dir, root := rooted(t)
	for i := range 3*atOnce + 1 {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, files, err := measure(t.Context(), root, math.MaxInt64); err != nil || files != 3*atOnce+1 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestMeasureReplaced checks that a directory that was replaced since it was looked at is not measured, by what else.
func TestMeasureReplaced(t *testing.T) {
	for what, replace := range map[string]func(name, other string) error{
		"by nothing":           func(string, string) error { return nil },
		"by a file":            func(name, _ string) error { return os.WriteFile(name, nil, 0o600) },
		"by a directory":       func(name, _ string) error { return os.Mkdir(name, 0o700) },
		"by a link":            func(name, _ string) error { return os.Symlink("other", name) },
		"by a link out of all": func(name, other string) error { return os.Symlink(other, name) },
	} {
		dir, root := rooted(t)
		other := t.TempDir()
		if err := errors.Join(os.Mkdir(filepath.Join(dir, "d"), 0o700), os.Mkdir(filepath.Join(dir, "other"), 0o700),
			os.WriteFile(filepath.Join(dir, "other/f"), nil, 0o600), os.WriteFile(filepath.Join(other, "f"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		info, err := root.Lstat("d")
		if err != nil {
			t.Fatal(err)
		}
		// Kept, so that what replaces it has another inode.
		if err := errors.Join(os.Rename(filepath.Join(dir, "d"), filepath.Join(other, "kept")), replace(filepath.Join(dir, "d"), other)); err != nil {
			t.Fatal(err)
		}
		m := measurement{ctx: t.Context(), enough: math.MaxInt64}
		if err := m.below(root, "d", info, 0); !errors.Is(err, os.ErrNotExist) || m.files != 0 {
			t.Errorf("%s: %d files, %v", what, m.files, err)
		}
	}
}
