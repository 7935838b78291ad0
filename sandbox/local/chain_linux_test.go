package local_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestChain checks that processes end with their sandbox that are never there for long, since each starts the next one
// and ends: in one session, and each in its own.
func TestChain(t *testing.T) {
	for name, script := range map[string]string{
		"one session":   `f() { (f &) ; exit; }; f`,
		"many sessions": `exec setsid -f sh hop`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "sandboxes")
			s := started(t, newBackend(t, func(o *local.Options) { o.Dir = dir }), sandbox.Manifest{})
			hold := filepath.Join(dir, id, "workspace", "hold")
			if err := errors.Join(syscall.Mkfifo(hold, 0o600), s.Write(t.Context(), "hop", []byte(script))); err != nil {
				t.Fatal(err)
			}
			// All of them have the pipe, so it ends with the last of them.
			held, err := unix.Open(hold, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = unix.Close(held) }()
			// The command ends when the chain has left its group.
			cmd := backend.Command{Args: []string{"sh", "-c", `exec 9>hold; mkfifo ready; setsid -f sh -c 'echo up > ready; exec sh hop'; read up < ready`}}
			if result, err := s.Exec(t.Context(), cmd); result.ExitCode != 0 || err != nil {
				t.Fatalf("exec: %d, %v", result.ExitCode, err)
			}
			buf := make([]byte, 1)
			if _, err := unix.Read(held, buf); !errors.Is(err, unix.EAGAIN) {
				t.Fatalf("the chain has ended: the test shows nothing: %v", err)
			}
			if err := s.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n, err := unix.Read(held, buf); n != 0 || err != nil {
				t.Errorf("the chain goes on: %v", err)
			}
		})
	}
}
