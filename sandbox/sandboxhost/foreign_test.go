package sandboxhost_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestForeignDirectory gives a host a directory that holds what others made, as that of a backend does: it does not
// begin, and removes nothing.
func TestForeignDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "5b8f7c1e-2222-4333-8444-555555555555", "workspace", "file")
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(kept, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sandboxhost.New("local", sandboxtest.NewFake(), sandboxhost.Options{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "directory of its own") || strings.Contains(err.Error(), dir) {
		t.Errorf("New: %v", err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Error("what others made was removed")
	}
}
