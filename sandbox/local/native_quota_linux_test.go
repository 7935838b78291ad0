package local_test

import (
	"bytes"
	"os"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// exhaust takes all there is of what the kernel counts for an account, says so, and keeps it until its input ends.
func exhaust() {
	for {
		if _, err := unix.InotifyInit1(unix.IN_CLOEXEC); err != nil {
			break
		}
	}
	for {
		if _, err := newTimer(); err != nil {
			break
		}
	}
	_, _ = os.Stdout.WriteString("all\n")
	var end [1]byte
	_, _ = os.Stdin.Read(end[:])
}

// newTimer makes a timer, which takes one of the signals that the kernel keeps for an account.
func newTimer() (id int32, err error) {
	if _, _, errno := unix.Syscall(unix.SYS_TIMER_CREATE, unix.CLOCK_MONOTONIC, 0, uintptr(unsafe.Pointer(&id))); errno != 0 {
		return 0, errno
	}
	return id, nil
}

// TestWorkersShare checks that a command cannot use up what the kernel counts for the account that made its user
// namespace: the worker's, which is root's of the whole host where the worker is root.
func TestWorkersShare(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	s := started(t, newBackend(t, isolated), sandbox.Manifest{})
	self, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = s.Write(t.Context(), "self", self)
	}
	if err != nil {
		t.Fatal(err)
	}
	sh(t, s, "chmod +x self")
	read, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = read.Close() }()
	left := map[string]error{}
	taken := onWrite(func() {
		fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
		if left["inotify"] = err; err == nil {
			_ = unix.Close(fd)
		}
		id, err := newTimer()
		if left["timer"] = err; err == nil {
			_, _, _ = unix.Syscall(unix.SYS_TIMER_DELETE, uintptr(id), 0, 0)
		}
		_ = end.Close()
	})
	if _, err := s.Exec(t.Context(), backend.Command{Args: []string{"./self"}, Env: []string{part + "=exhaust"}, Stdin: read, Stdout: taken}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]error{"inotify": nil, "timer": nil}, left); diff != "" {
		t.Errorf("what is left to the worker (-want +got):\n%s", diff)
	}
}

// TestTightenedLimits checks those that no option names. That of core dumps is not 0, for which the kernel would still
// start a program that the host has for them; a command that means to have none by setting it to 0 goes on, and has none.
func TestTightenedLimits(t *testing.T) {
	for _, l := range []local.Launcher{local.Native, local.Bubblewrap} {
		t.Run(l.String(), func(t *testing.T) {
			if refused(t, l) {
				return
			}
			s := started(t, newBackend(t, func(o *local.Options) { o.Launcher = l }), sandbox.Manifest{})
			var out bytes.Buffer
			result, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-ec", `ulimit -c 0; ulimit -Sc 0; ulimit -n 100; while read -r name; do
case $name in "Max core"*|"Max pending"*|"Max msgqueue"*|"Max nice"*|"Max realtime priority"*|"Max open"*) echo $name;; esac; done </proc/self/limits`}, Stdout: &out})
			if err != nil || result.ExitCode != 0 {
				t.Fatal(result, err)
			}
			want := "Max core file size 1 1 bytes\nMax open files 100 100 files\nMax pending signals 4096 4096 signals\nMax msgqueue size 0 0 bytes\n" +
				"Max nice priority 0 0\nMax realtime priority 0 0\n"
			if diff := cmp.Diff(want, out.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
