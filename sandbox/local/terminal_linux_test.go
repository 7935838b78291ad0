package local_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// TestTerminalKept checks that what keeps a terminal in a session of its own does not keep the command from being over.
func TestTerminalKept(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	out := &shown{more: make(chan struct{}, 1)}
	p, err := s.(backend.Terminals).OpenTerminal(t.Context(), backend.Command{
		Args: []string{"sh", "-c", part + "=keep \"$SELF\"; echo left; exit 4"}, Env: ofTest(t), Stdout: out, Stderr: out,
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if result, err := p.Result(); err != nil || result.ExitCode != 4 || out.String() != "left\r\n" {
		t.Errorf("exit code %d, %v, shown %q", result.ExitCode, err, out)
	}
	data, err := s.Read(t.Context(), "pids")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil || len(alive([]int{pid})) != 1 {
		t.Errorf("nobody kept the terminal: the test shows nothing (%v)", err)
	}
}

// TestTerminalEscaped checks that a process that has left its command's session, with the terminal, is ended by Stop.
func TestTerminalEscaped(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	out := &shown{more: make(chan struct{}, 1)}
	p, err := s.(backend.Terminals).OpenTerminal(t.Context(), backend.Command{
		Args: []string{"sh", "-c", tree}, Env: ofTest(t), Stdout: out, Stderr: out,
	}, true)
	if err != nil {
		t.Fatal(err)
	}
	out.await(t, "up\r\n")
	pids := pidsOf(t, s)
	if got := alive(pids); len(got) != treeSize {
		t.Fatalf("%d processes run: the test shows nothing", len(got))
	}
	p.Kill()
	<-p.Done()
	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := alive(pids); len(got) > 0 {
		t.Errorf("still there: %v", got)
	}
}
