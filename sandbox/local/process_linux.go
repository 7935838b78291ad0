package local

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
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
	group   int
	session int
	start   string
}

func stat(pid int) (procStat, bool) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return procStat{}, false
	}
	return statIn(data)
}

// statIn reads a stat of /proc.
func statIn(data []byte) (procStat, bool) {
	// The name, in parentheses, may hold anything.
	f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(f) < 20 {
		return procStat{}, false
	}
	group, err := strconv.Atoi(f[2])
	session, err2 := strconv.Atoi(f[3])
	return procStat{state: f[0], group: group, session: session, start: f[19]}, err == nil && err2 == nil
}

// processes calls f with all processes but the worker's own, the newest first: those that do not live long are met
// while they do.
func processes(f func(pid int)) {
	entries, _ := os.ReadDir("/proc")
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid > 1 && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	for _, pid := range slices.Backward(pids) {
		f(pid)
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

// endStarting ends what bwrap had only just started, in a session that began with it, when the worker was killed: that
// waits for bwrap, for good. The session may be another's by now, so only what still has bwrap's arguments is ended.
func endStarting(session int) {
	processes(func(pid int) {
		starting := func() bool {
			s, ok := stat(pid)
			if !ok || s.session != session {
				return false
			}
			line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
			return err == nil && pid1.Starting(string(line))
		}
		if starting() {
			end(pid, starting)
		}
	})
}

// What looks for processes can miss one that a process starts as it ends itself. So they are taken for ended when this
// many looks one after the other found none.
const (
	quietLooks = 30
	lookPause  = 3 * time.Millisecond
)

// endByHome ends the processes whose HOME is in one of the directories below dir that are selected, and those in a
// session with one: commands begin sessions, so there is no stranger in it. It fails if others come for too long.
func endByHome(dir string, selected func(name string) bool) error {
	deadline := time.NewTimer(2 * leftoverWait)
	defer deadline.Stop()
	pause := time.NewTicker(lookPause)
	defer pause.Stop()
	for quiet := 0; quiet < quietLooks; {
		if !endFound(dir, selected) {
			quiet++
			<-pause.C
			continue
		}
		quiet = 0
		select {
		case <-deadline.C:
			return errLeftover
		default:
		}
	}
	return nil
}

// endFound looks once, and ends what it finds as soon as it does. It reports whether there was anything.
func endFound(dir string, selected func(name string) bool) bool {
	sessions := map[int]bool{}
	processes(func(pid int) {
		var s procStat
		ours := func() (ok bool) {
			s, ok = stat(pid)
			return ok && s.state != "Z" && homeIn(pid, dir, selected)
		}
		if ours() {
			sessions[s.session] = true
			end(pid, ours)
		}
	})
	if len(sessions) == 0 {
		return false
	}
	processes(func(pid int) {
		ours := func() bool { s, ok := stat(pid); return ok && sessions[s.session] }
		if ours() {
			end(pid, ours)
		}
	})
	return true
}

// homeIn reports whether a process was started with a HOME in a selected directory.
func homeIn(pid int, dir string, selected func(name string) bool) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && hasHomeIn(string(env), dir, selected)
}

// hasHomeIn looks into an environment as /proc shows it. The process may have changed it.
func hasHomeIn(env, dir string, selected func(name string) bool) bool {
	for v := range strings.SplitSeq(env, "\x00") {
		if below, ok := strings.CutPrefix(v, "HOME="+dir+"/"); ok {
			name, _, _ := strings.Cut(below, "/")
			return selected(name)
		}
	}
	return false
}

// signalGroup has pidfd_send_signal send to the group that a process leads, from Linux 6.9 on.
const signalGroup = 1 << 2

// killGroup kills a process group if it is still the one that is meant. It is looked at again once its leader is held: a
// group that got the id meanwhile has another one. Where the leader is over, or the kernel cannot send to the group of one
// that is held, nothing is between the look and the kill, but nothing holds the id either.
func killGroup(group int, still func() bool) {
	fd, err := unix.PidfdOpen(group, 0)
	if err == nil {
		defer func() { _ = unix.Close(fd) }()
		if !still() {
			return
		}
		err = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, signalGroup)
		if err == nil || errors.Is(err, unix.ESRCH) {
			return
		}
	}
	if still() {
		_ = unix.Kill(-group, unix.SIGKILL)
	}
}

// end kills a process with its group, at once so that none of them starts another, and waits for its end. It is looked
// at again once it is held, so that another one that got its id meanwhile is left alone.
func end(pid int, still func() bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer func() { _ = unix.Close(fd) }()
	if !still() {
		return
	}
	if s, ok := stat(pid); ok && s.group > 1 && s.group != unix.Getpgrp() {
		killGroup(s.group, func() bool { now, ok := stat(pid); return ok && now.group == s.group && now.start == s.start })
	}
	if unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) != nil {
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
