//go:build unix

package audit_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

func TestFileSinkMode(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fresh, old := filepath.Join(dir, "fresh"), filepath.Join(dir, "old")
	if err := errors.Join(os.WriteFile(old, nil, 0o600), os.Chmod(old, 0o640)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{fresh: 0o600, old: 0o640} {
		open(t, path)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v, want %v", filepath.Base(path), info.Mode(), want)
		}
	}
}

// What the operating system said can be told from the error.
func TestErrno(t *testing.T) {
	t.Parallel()
	_, err := audit.NewFile(filepath.Join(t.TempDir(), "missing", "audit.jsonl"))
	if !errors.Is(err, audit.ErrOpen) || !errors.Is(err, syscall.ENOENT) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("NewFile: %v", err)
	}
	var zero audit.Error
	if zero.Error() != "audit: failed" || len(zero.Unwrap()) != 0 {
		t.Errorf("the zero Error says %q", zero.Error())
	}
	foreign := &audit.Error{Kind: errors.New("/var/log/hunter2")}
	if foreign.Error() != "audit: failed" {
		t.Errorf("an Error shows foreign text: %q", foreign.Error())
	}
}
