package local

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attributes are those of each command: a session of its own, which is a process group, too, and an end with the
// worker.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit returns when a child is over, and leaves it to be waited for.
func awaitExit(pid int) {
	for errors.Is(unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil), unix.EINTR) {
	}
}

// bootID tells the runs of the machine apart: start times are counted from its start.
const bootID = "/proc/sys/kernel/random/boot_id"

// startOf returns when a process started, in a form that no other process ever has; empty if it is over.
func startOf(pid int) string {
	s, ok := stat(pid)
	boot, err := os.ReadFile(bootID)
	if !ok || err != nil || s.state == "Z" || s.state == "X" {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "/" + s.start
}

// procStat is what the kernel says about a process.
type procStat struct {
	state   string
	session int
	start   string
}

func stat(pid int) (procStat, bool) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return procStat{}, false
	}
	// The name, in parentheses, may hold anything.
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(f) < 20 {
		return procStat{}, false
	}
	session, err := strconv.Atoi(f[3])
	return procStat{state: f[0], session: session, start: f[19]}, err == nil
}

// processes calls f with all processes but the worker's own.
func processes(f func(pid int)) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid > 1 && pid != os.Getpid() {
			f(pid)
		}
	}
}

// endSession ends all processes of a session and waits for their end. There must be one, which keeps the id from
// being used for something else.
func endSession(id int) {
	processes(func(pid int) {
		if s, ok := stat(pid); ok && s.session == id {
			end(pid, func() bool { s, ok := stat(pid); return ok && s.session == id })
		}
	})
}

// endRest waits for the end of what is left of a group, of which there must be something.
func endRest(group int) { endSession(group) }

// endByHome ends the processes whose HOME is in one of the directories below dir that are selected, and those in a
// session with one: commands begin sessions, so there is no stranger in it. What does not end at once is tried again,
// since such processes may start others.
func endByHome(dir string, selected func(name string) bool) error {
	deadline := time.NewTimer(2 * leftoverWait)
	defer deadline.Stop()
	for {
		sessions := map[int]bool{}
		processes(func(pid int) {
			if s, ok := stat(pid); ok && s.state != "Z" && homeIn(pid, dir, selected) {
				sessions[s.session] = true
			}
		})
		if len(sessions) == 0 {
			return nil
		}
		processes(func(pid int) {
			ours := func() bool { s, ok := stat(pid); return ok && sessions[s.session] }
			if ours() {
				end(pid, ours)
			}
		})
		select {
		case <-deadline.C:
			return errLeftover
		default:
		}
	}
}

// homeIn reports whether a process was started with a HOME in a selected directory.
func homeIn(pid int, dir string, selected func(name string) bool) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return false
	}
	for v := range strings.SplitSeq(string(env), "\x00") {
		if below, ok := strings.CutPrefix(v, "HOME="+dir+"/"); ok {
			name, _, _ := strings.Cut(below, "/")
			return selected(name)
		}
	}
	return false
}

// end kills a process and waits for its end. It is looked at again once it is held, so that another one that got its
// id meanwhile is left alone.
func end(pid int, still func() bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	if !still() || unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) != nil {
		return
	}
	const ms = int(leftoverWait / 1e6)
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, ms) //nolint:gosec // a descriptor
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}
