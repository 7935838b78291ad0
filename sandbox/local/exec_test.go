package local_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestGrace checks that a command that is ended can clean up first, and that Stop waits for that.
func TestGrace(t *testing.T) {
	s := started(t, newBackend(t, func(o *local.Options) { o.Grace = time.Minute }), sandbox.Manifest{})
	up := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		_, err := s.Exec(context.WithoutCancel(t.Context()), backend.Command{
			Args:   []string{"sh", "-c", "trap 'sleep 0.1; echo cleaned > cleaned; exit' TERM; echo up; sleep 1000 & wait"},
			Stdout: onWrite(func() { close(up) }),
		})
		done <- err
	}()
	<-up
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Read(t.Context(), "cleaned"); err != nil || string(got) != "cleaned\n" {
		t.Errorf("after stop: %q, %v", got, err)
	}
	if err := <-done; err == nil {
		t.Error("the command ended by itself")
	}
}

type onWrite func()

func (f onWrite) Write(data []byte) (int, error) { f(); return len(data), nil }

// TestUser checks that no command runs as another account than the one that was asked for.
func TestUser(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	_, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", "echo > ran"}, User: "agent"})
	if backend.CodeOf(err) != backend.ExecTransport {
		t.Errorf("exec: %v", err)
	}
	if _, err := s.Read(t.Context(), "ran"); backend.CodeOf(err) != backend.ReadNotFound {
		t.Errorf("the command ran: %v", err)
	}
}

// TestOwnVariables checks what is the backend's to say: where home and the current directory are, and a PATH and a
// language if the caller has none.
func TestOwnVariables(t *testing.T) {
	s := started(t, newBackend(t, func(o *local.Options) { o.Path = "/usr/bin:/bin" }), sandbox.Manifest{})
	var out strings.Builder
	const script = `cd -P "$HOME" && pwd -P; echo "$PATH $LANG"`
	home := strings.TrimSpace(sh(t, s, "pwd -P"))
	if got := sh(t, s, script); got != home+"\n/usr/bin:/bin C.UTF-8\n" {
		t.Errorf("own: %q", got)
	}
	_, err := s.Exec(t.Context(), backend.Command{
		Args: []string{"sh", "-c", script}, Stdout: &out,
		Env: []string{"HOME=/", "PWD=/", "PATH=/bin:/usr/bin", "LANG=de_DE.UTF-8"},
	})
	if err != nil || out.String() != home+"\n/bin:/usr/bin de_DE.UTF-8\n" {
		t.Errorf("the caller's: %q, %v", out.String(), err)
	}
}
