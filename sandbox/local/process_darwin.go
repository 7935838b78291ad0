package local

import (
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// attributes are those of each command: a session of its own, which is a process group, too.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// awaitExit returns when a child is over, and leaves it to be waited for.
func awaitExit(pid int) {
	queue, err := unix.Kqueue()
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(queue) }()
	var event unix.Kevent_t
	unix.SetKevent(&event, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	event.Fflags = unix.NOTE_EXIT
	got := make([]unix.Kevent_t, 1)
	for {
		// A process that is over already is reported as missing.
		if _, err := unix.Kevent(queue, []unix.Kevent_t{event}, got, nil); !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// zombie is the state of a process that is over.
const zombie = 5

// startOf returns when a process started, in a form that no other process ever has; empty if it is over.
func startOf(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid || info.Proc.P_stat == zombie {
		return ""
	}
	return fmt.Sprintf("%d.%06d", info.Proc.P_starttime.Sec, info.Proc.P_starttime.Usec)
}

// endSession ends nothing more than the caller does, which is a group: sessions cannot be listed here.
func endSession(int) {}

// endRest waits for the end of what is left of a group, of which there must be something.
func endRest(group int) {
	until(func() bool { return unix.Kill(-group, 0) != nil })
}

// killGroup kills a process group if it is still the one that is meant. Nothing holds its id between the two.
func killGroup(group int, still func() bool) {
	if still() {
		_ = unix.Kill(-group, unix.SIGKILL)
	}
}

// endStarting ends nothing: bwrap is for Linux.
func endStarting(int) {}

// endByHome ends nothing: the system does not show the environment of all programs.
func endByHome(string, func(string) bool) error { return nil }
