//go:build linux

package pid1

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/landlock"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/program"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/seccomp"
)

// confinedName is the name of the worker's program on its way to becoming the command of a keeper. What it gives up it cannot
// give up for the keeper, which has to look after the command.
const confinedName = Name + "-confined"

// confinedSteps are in the order in which they are done.
var confinedSteps = []step{
	{name: "sources", do: holdSources},
	{name: "limits", do: setLimits},
	{name: "capabilities", do: limitCapabilities},
	{name: "account", do: takeAccount},
	{name: "directory", do: enterDirectory},
	{name: "descriptors", do: closeDescriptors},
	{name: "landlock", do: restrict},
	{name: "seccomp", do: filterShared},
}

// startConfined returns once the process that it starts is the command, or has shown that it could become one.
func (s *state) startConfined() (int, error) {
	attr := &syscall.ProcAttr{Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}}
	if s.console != nil {
		tty := s.console.slave.Fd()
		attr.Files = []uintptr{tty, tty, tty}
		attr.Sys.Setctty = true
	}
	return startAs(confinedName, s.job, attr)
}

// runConfined becomes the command. It returns only if that fails, or if there is none.
func runConfined() int {
	runtime.LockOSThread()
	socket := os.NewFile(boundJob, "job")
	if f := becomeConfined(socket); f.step != "" {
		return f.say(socket)
	}
	return 0
}

func becomeConfined(socket *os.File) failure {
	s := &state{}
	offerMemory()
	if err := errors.Join(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0), gob.NewDecoder(socket).Decode(&s.job)); err != nil {
		return failure{startStep, err}
	}
	err := s.take(confinedSteps)
	if f := (failure{}); errors.As(err, &f) {
		return f
	}
	if len(s.job.Args) == 0 {
		return failure{}
	}
	// As the account of the command: the worker may see programs that it may not.
	path, err := program.Look(s.job.Args[0], ".", s.job.Env)
	if err != nil {
		return failure{missingStep, err}
	}
	return bound{Program: path, Args: s.job.Args, Env: s.job.Env, AddressSpace: s.job.Limits.AddressSpace, FailAt: s.job.FailAt}.become()
}

// offerMemory has the kernel end this command where memory is short, and not who looks after it: that can be larger than each of
// many small processes. They cannot take it back, since /proc is closed to them. Where it is closed to this process, too, or
// hidden, the largest is ended.
func offerMemory() { _ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) }

// holdSources takes hold of what the command may use, while the process still has the account of the worker.
func holdSources(s *state) error {
	for _, m := range s.job.Mounts {
		fd, err := m.open(m.Source)
		if m.Within && absent(err) {
			fd, err = -1, nil
		}
		if err != nil {
			return err
		}
		s.sources = append(s.sources, fd)
	}
	return nil
}

// limitCapabilities keeps programs from bringing capabilities. Where the worker may not do that no_new_privs alone does.
func limitCapabilities(*state) error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	for c := range uintptr(lastCapability + 1) {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EPERM) {
			break
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeAccount becomes the account of the command, without any capability.
func takeAccount(s *state) error {
	if id := s.job.UID; id != 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(s.job.GID, s.job.GID, s.job.GID), syscall.Setresuid(id, id, id)); err != nil {
			return err
		}
	}
	if err := giveUpCapabilities(); err != nil {
		return err
	}
	// The kernel forgets both when the account changes.
	return errors.Join(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0), unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0))
}

// ownFiles are what a command may read of itself in /proc. Of other processes it may read nothing there, so it can list none,
// nor can what it starts read this.
var ownFiles = []string{"cmdline", "limits", "maps", "stat", "status"}

// restrict leaves the command what the job has for it.
func restrict(s *state) error {
	var rules []landlock.Rule
	for i, m := range s.job.Mounts {
		if s.sources[i] >= 0 {
			rules = append(rules, landlock.Rule{FD: s.sources[i], Access: m.access()})
		}
	}
	for _, name := range ownFiles {
		fd, err := unix.Open(fmt.Sprintf("/proc/%d/%s", os.Getpid(), name), unix.O_PATH|unix.O_CLOEXEC, 0)
		if err == nil {
			rules = append(rules, landlock.Rule{FD: fd, Access: unix.LANDLOCK_ACCESS_FS_READ_FILE})
		}
	}
	if s.job.Terminal {
		rules = append(rules, landlock.Rule{FD: 0, Access: landlock.Use | landlock.Control})
	}
	return landlock.Restrict(rules)
}

func (m Mount) access() landlock.Access {
	switch {
	case m.Device && m.Source == "/dev/tty":
		return landlock.Use | landlock.Control
	case m.Device:
		return landlock.Use
	case m.Writable:
		return landlock.Read | landlock.Write
	}
	return landlock.Read
}

// filterShared denies what no command needs, and what reaches the host past Landlock where there are no namespaces.
func filterShared(s *state) error {
	filter, err := seccomp.Filter(seccomp.Options{Shared: true, Owner: s.job.UID == 0})
	if err != nil {
		return err
	}
	return seccomp.Install(filter)
}
