package local

import (
	"context"
	"errors"
	"os"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
)

// born starts a first process of which the worker's side is closed, with which it ends.
func born(t *testing.T, s *starter) *child {
	t.Helper()
	own, theirs, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	program, err := sealedProgram()
	if err != nil {
		t.Fatal(err)
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _, _ = own.Close(), theirs.Close(), null.Close() }()
	c, err := s.start(t.Context(), pid1.Start{Name: pid1.Name, Attributes: syscall.SysProcAttr{Setsid: true}}, null, null, null, theirs, program)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ended waits for the end of a process.
func ended(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return // it was waited for already
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 60_000); err != nil {
		t.Fatal(err)
	}
}

// TestKeptID checks that the id of a first process is nobody else's until the launch is done with it, also when the
// process is over long before.
func TestKeptID(t *testing.T) {
	s := new(starter)
	t.Cleanup(func() { _ = s.close() })
	c := born(t, s)
	ended(t, c.pid)
	for range 10_000 { // long enough for who would wait
		if s, ok := stat(c.pid); !ok || s.state != "Z" {
			t.Fatalf("process %d was waited for: %v", c.pid, s)
		}
	}
	if !c.end() {
		t.Error("the end of the process was not seen")
	}
	if s, ok := stat(c.pid); ok && s.state == "Z" {
		t.Error("the process was not waited for")
	}
}

// TestStarterLost checks that the end of the starter is told from a refusal of the kernel, and that there is another one
// for what comes then.
func TestStarterLost(t *testing.T) {
	s := new(starter)
	t.Cleanup(func() { _ = s.close() })
	first := born(t, s)
	old := s.cmd.Process.Pid
	if err := unix.Kill(old, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ended(t, old)
	if !first.end() {
		t.Error("the end of a process was not seen that ended with its starter")
	}
	second := born(t, s)
	if s.cmd.Process.Pid == old {
		t.Error("there is no other starter")
	}
	if _, ok := stat(old); ok {
		t.Error("the starter was not waited for")
	}
	if !second.end() {
		t.Error("the end of a process was not seen")
	}
}

// TestStarterCloses checks that closing ends the starter and all that it started, and that nothing else does.
func TestStarterCloses(t *testing.T) {
	s := new(starter)
	c := born(t, s)
	pid := s.cmd.Process.Pid
	for _, signal := range []unix.Signal{unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT} {
		if err := unix.Kill(pid, signal); err != nil {
			t.Fatal(err)
		}
	}
	if !c.end() {
		t.Error("the end of the process was not seen")
	}
	if born(t, s); s.cmd.Process.Pid != pid {
		t.Error("a signal ended the starter")
	}
	if err := s.close(); err != nil {
		t.Fatal(err)
	}
	if _, ok := stat(pid); ok {
		t.Error("the starter is still there")
	}
	if err := s.close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

// TestStarterStopped checks that nobody waits for a starter that was stopped: who ends a process, who gives up a start, and
// who closes it.
func TestStarterStopped(t *testing.T) {
	s := new(starter)
	t.Cleanup(func() { _ = s.close() })
	c := born(t, s)
	if err := unix.Kill(s.cmd.Process.Pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	given := errors.New("given up")
	var starts sync.WaitGroup
	for range 200 { // more than there is room for
		starts.Go(func() {
			_, err := s.start(ctx, pid1.Start{Name: pid1.Name, Attributes: syscall.SysProcAttr{Setsid: true}})
			if !errors.Is(err, given) {
				t.Errorf("a start that was given up: %v", err)
			}
		})
	}
	if !c.end() {
		t.Error("the end of the process was not seen")
	}
	cancel(given)
	starts.Wait()
	if err := s.close(); err != nil {
		t.Error(err)
	}
}

// TestStarterRefuses checks that what the kernel says comes back as it is.
func TestStarterRefuses(t *testing.T) {
	s := new(starter)
	t.Cleanup(func() { _ = s.close() })
	_, err := s.start(t.Context(), pid1.Start{Name: pid1.Name, Attributes: syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_FS}})
	if err != syscall.EINVAL { //nolint:errorlint // it is to be nothing more
		t.Errorf("got %v", err)
	}
}

// TestStarterForgotten checks that what the kernel refuses to start for a launch that was given up meanwhile ends nothing
// that the starter started for others.
func TestStarterForgotten(t *testing.T) {
	s := new(starter)
	t.Cleanup(func() { _ = s.close() })
	other := born(t, s)
	pid := s.cmd.Process.Pid
	own, theirs, err := socketPair()
	if err != nil {
		t.Fatal(err)
	}
	_ = own.Close()
	_, err = s.ask(pid1.Start{Name: pid1.Name, Attributes: syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_FS}}, []*os.File{theirs})
	if err := errors.Join(err, theirs.Close()); err != nil {
		t.Fatal(err)
	}
	if born(t, s); s.cmd.Process.Pid != pid {
		t.Error("the starter ended")
	}
	if !other.end() {
		t.Error("the end of a process was not seen")
	}
}
