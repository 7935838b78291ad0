//go:build linux || darwin

package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/dirlock"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

const someID = "0b54ad5c-6f0a-4a52-9a3e-1d7f7ac6e001"

func newSandbox(t *testing.T) (*Backend, *box) {
	t.Helper()
	b, err := New(Options{Dir: filepath.Join(t.TempDir(), "sandboxes"), Launcher: Unisolated})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	s, err := b.Create(t.Context(), backend.Spec{ID: someID})
	if err != nil {
		t.Fatal(err)
	}
	return b, s.(*box)
}

// names are those in the backend's directory, besides the lock.
func names(t *testing.T, b *Backend) []string {
	t.Helper()
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.Name() != dirlock.Name {
			out = append(out, e.Name())
		}
	}
	return out
}

// TestHalfRemoved checks that a sandbox of which something is left is listed, cannot be made again, and is removed by
// the next Delete, through whichever way it comes.
func TestHalfRemoved(t *testing.T) {
	for name, again := range map[string]func(*testing.T, *Backend, *box) error{
		"sandbox": func(t *testing.T, _ *Backend, s *box) error { t.Helper(); return s.Delete(t.Context()) },
		"id":      func(t *testing.T, b *Backend, _ *box) error { t.Helper(); return b.Delete(t.Context(), someID) },
		"unknown": func(t *testing.T, b *Backend, _ *box) error {
			t.Helper()
			delete(b.boxes, someID)
			return b.Delete(t.Context(), someID)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, s := newSandbox(t)
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			<-s.endFor(errRoot).done
			if err := b.remove(ended, s); !errors.Is(err, context.Canceled) {
				t.Fatalf("remove: %v", err)
			}
			if there := names(t, b); cmp.Diff([]string{gonePrefix + someID}, there) != "" {
				t.Errorf("there is %v", there)
			}
			if ids, err := b.List(t.Context()); err != nil || cmp.Diff([]string{someID}, ids) != "" {
				t.Errorf("listed %v, %v", ids, err)
			}
			if _, err := b.Create(t.Context(), backend.Spec{ID: someID}); backend.CodeOf(err) != backend.StartFailed {
				t.Errorf("create: %v", err)
			}
			if o, err := b.Open(t.Context(), backend.Spec{ID: someID}); err != nil || !errors.Is(o.Start(t.Context()), errRoot) {
				t.Errorf("open: %v", err)
			}
			if err := again(t, b, s); err != nil {
				t.Fatal(err)
			}
			if left := names(t, b); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if _, err := b.Open(t.Context(), backend.Spec{ID: someID}); !errors.Is(err, backend.ErrNotFound) {
				t.Errorf("open: %v", err)
			}
		})
	}
}

// TestRemoveDeep checks that neither depth nor width nor modes keep a sandbox from being removed, with fewer descriptors
// than there are levels.
func TestRemoveDeep(t *testing.T) {
	b, s := newSandbox(t)
	top, err := s.workspace()
	if err != nil {
		t.Fatal(err)
	}
	dir := top.Root
	for range 600 {
		if err := errors.Join(dir.Mkdir("1", 0o700), dir.Symlink("..", "up")); err != nil {
			t.Fatal(err)
		}
		next, err := dir.OpenRoot("1")
		if err != nil {
			t.Fatal(err)
		}
		if err := dir.Close(); err != nil {
			t.Fatal(err)
		}
		dir = next
	}
	for i := range 1500 {
		if err := dir.Mkdir("wide"+strconv.Itoa(i), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	few := was
	few.Cur = 256
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was) }()
	if err := s.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := names(t, b); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestRemoveClosed checks that a command cannot close the directories that it is deleted in.
func TestRemoveClosed(t *testing.T) {
	b, s := newSandbox(t)
	for _, dir := range []string{s.dir(recordsName), s.dir(workspaceName), s.dir(""), b.dir} {
		if err := os.Chmod(dir, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := names(t, b); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
