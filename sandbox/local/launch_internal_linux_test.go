package local

import (
	"os/exec"
	"testing"
)

// TestKeptID checks that the id of a first process is nobody else's until the launch is done with it, also when the
// process is over long before.
func TestKeptID(t *testing.T) {
	l := &launch{
		cmd: exec.CommandContext(t.Context(), "true"), started: make(chan error, 1), over: make(chan struct{}), done: make(chan error, 1),
	}
	go l.follow()
	if err := <-l.started; err != nil {
		t.Fatal(err)
	}
	pid := l.cmd.Process.Pid
	awaitExit(pid)
	for range 10_000 { // long enough for who would wait
		if s, ok := stat(pid); !ok || s.state != "Z" {
			t.Fatalf("process %d was waited for: %v", pid, s)
		}
	}
	if err := l.kill(); err != nil {
		t.Fatal(err)
	}
	if s, ok := stat(pid); ok && s.state == "Z" {
		t.Error("the process was not waited for")
	}
}
