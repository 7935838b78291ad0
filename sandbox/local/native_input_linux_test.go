package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestInputFile checks that a command gets the contents of a file that is its input, and not the file.
func TestInputFile(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	name := filepath.Join(openDir(t), "input")
	err := os.WriteFile(name, []byte("of the host\n"), 0o600)
	if err == nil {
		err = os.Chmod(name, 0o666)
	}
	f, err2 := os.OpenFile(name, os.O_RDWR, 0)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	s := started(t, newBackend(t, isolated), sandbox.Manifest{})
	var out strings.Builder
	cmd := backend.Command{Args: []string{"sh", "-c", "cat; echo x >&0; echo x >/proc/self/fd/0"}, Stdin: f, Stdout: &out}
	if _, err := s.Exec(t.Context(), cmd); err != nil || out.String() != "of the host\n" {
		t.Errorf("the command read %q, %v", out.String(), err)
	}
	if got, err := os.ReadFile(name); err != nil || string(got) != "of the host\n" {
		t.Errorf("the command wrote to its input: %q, %v", got, err)
	}
}
