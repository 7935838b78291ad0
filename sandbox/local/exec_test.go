package local_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/operation"
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

// TestPathsShown checks that paths in the words of the sandbox lead to where they say, from any directory, and that
// what commands print about them holds no path of the host.
func TestPathsShown(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sandboxes")
	s := started(t, newBackend(t, func(o *local.Options) { o.Dir = dir }), sandbox.Manifest{Entries: map[string]sandbox.Entry{
		"f":   {Type: sandbox.EntryFile, Content: "text"},
		"say": {Type: sandbox.EntryFile, Content: "#!/bin/sh\necho \"$0 $1\"\n"},
		"a":   {Type: sandbox.EntryDir, Children: map[string]sandbox.Entry{"b": {Type: sandbox.EntryDir}}},
	}})
	sh(t, s, "ln -s a/b link")
	for _, c := range []struct {
		dir  string
		args []string
		exit int
		out  string // what is printed, if that can be known
	}{
		{"", []string{"ls", "--", "/workspace/f"}, 0, "./f\n"},
		{"a", []string{"ls", "--", "/workspace/f"}, 0, "../f\n"},
		{"/workspace/link", []string{"ls", "--", "/workspace/f"}, 0, "../../f\n"},
		{"a/b", []string{"cat", "/workspace/f"}, 0, "text"},
		{"a", []string{"ls", "/workspace/a/"}, 0, "b\n"},
		{"", []string{"ls", "-d", "/workspace"}, 0, ".\n"},
		{"", []string{"/workspace/say", "/workspace/x"}, 0, "./say ./x\n"},
		{"a", []string{"/workspace/say", "x"}, 0, "../say x\n"},
		{"a", []string{"../say", "x"}, 0, "../say x\n"},
		{"", []string{"echo", "/workspace2", "/workspace/../x"}, 0, "/workspace2 /workspace/../x\n"},
		{"", []string{"ls", "-la", "--", "/workspace"}, 0, ""},
		{"", []string{"ls", "-la", "--", "/workspace/f"}, 0, ""},
		{"a", []string{"ls", "-la", "--", "/workspace/missing"}, -1, ""},
		{"", []string{"mkdir", "/workspace/f"}, -1, ""},
		{"", []string{"mkdir", "-p", "/workspace/f/x"}, -1, ""},
		{"", []string{"rm", "--", "/workspace/a"}, -1, ""},
		{"", []string{"test", "-f", "/workspace/f", "/workspace/f"}, -1, ""},
		{"", []string{"sh", "-c", `cd -- "$1"`, "/workspace/sh", "/workspace/missing"}, -1, ""},
	} {
		var out strings.Builder
		result, err := s.Exec(t.Context(), backend.Command{Args: c.args, Dir: c.dir, Stdout: &out, Stderr: &out})
		if err != nil || (result.ExitCode == 0) != (c.exit == 0) || c.out != "" && out.String() != c.out {
			t.Errorf("%q in %q: exit code %d, %v, printed %q", c.args, c.dir, result.ExitCode, err, out.String())
		}
		if result.ExitCode != 0 && out.String() == "" || strings.Contains(out.String(), filepath.Dir(dir)) {
			t.Errorf("%q in %q printed %q", c.args, c.dir, out.String())
		}
	}
}

// TestPrepared checks that a host can start a prepared command in its directory, with the paths leading where they
// say.
func TestPrepared(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{Entries: map[string]sandbox.Entry{
		"f": {Type: sandbox.EntryFile, Content: "text"}, "in": {Type: sandbox.EntryFile, Content: "input"},
		"a": {Type: sandbox.EntryDir, Children: map[string]sandbox.Entry{"b": {Type: sandbox.EntryDir}}},
	}})
	sh(t, s, "ln -s a/b link")
	args, dir := operation.Unprepared(operation.Prepared("/workspace/in", "/workspace/link", []string{"A=b"},
		[]string{"sh", "-c", `cat "$1" -; echo "$A"; ls ../..`, "sh", "/workspace/f"}))
	var out strings.Builder
	if result, err := s.Exec(t.Context(), backend.Command{Args: args, Dir: dir, Stdout: &out, Stderr: &out}); err != nil || result.ExitCode != 0 || out.String() != "textinputb\na\nf\nlink\n" {
		t.Errorf("exit code %d, %v, printed %q", result.ExitCode, err, out.String())
	}
}
