//go:build linux

package pid1

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// staging is the worker's program on its way to becoming bwrap.
type staging struct {
	Stage
	root      bool // whether it has the rights of the host's root, and a mount namespace of its own
	arguments []string
}

// stageSteps are in the order in which they are done. Then the stage becomes bwrap.
var stageSteps = []struct {
	name string
	do   func(*staging) error
}{
	{"descriptors", holdBack},
	{"sources", (*staging).placeWorkspace},
	{"account", (*staging).setAccount},
	{bwrapStep, (*staging).prepare},
}

const (
	bwrapStep = "bwrap"
	// stagePrefix tells the steps of a stage from those of the first process in [Job.FailAt].
	stagePrefix = "stage "
)

// StageSteps are the steps of a stage, as [Job.FailAt] names them: each is the name that is reported, after a prefix.
func StageSteps() []string {
	var names []string
	for _, s := range stageSteps {
		names = append(names, stagePrefix+s.name)
	}
	return names
}

// runStage becomes bwrap. It returns only if that fails: what there is to say goes over the channel.
func runStage() int {
	// What belongs to a thread, such as to end with the worker, must belong to the one that becomes bwrap.
	runtime.LockOSThread()
	// Control itself is left open for the first process.
	fd, err := unix.FcntlInt(Control, unix.F_DUPFD_CLOEXEC, Errors+1)
	if err != nil {
		return 1
	}
	c, err := NewChannel(os.NewFile(uintptr(fd), "control"))
	if err != nil || c.Send(Report{Hello: true}) != nil {
		return 1
	}
	var s staging
	if c.Receive(&s.Stage) != nil {
		return 1
	}
	s.root = s.UID != 0
	f := s.become()
	return send(c, Report{Step: f.step, Errno: f.errno()})
}

// become does the steps and becomes bwrap. It returns only if that fails.
func (s *staging) become() failure {
	for _, st := range stageSteps {
		err := st.do(s)
		if s.Job.FailAt == stagePrefix+st.name {
			err = errMade
		}
		if err != nil {
			return failure{st.name, err}
		}
	}
	return failure{bwrapStep, syscall.Exec(s.Bwrap, s.arguments, []string{})} //nolint:gosec // the options name it
}

// holdBack keeps what bwrap says from the worker: it is none of the command's, and names what is on the host. The
// command's error output is where the first process finds it. No other descriptor of the worker gets any further.
func holdBack(*staging) error {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.CloseRange(Errors+1, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return err
	}
	return errors.Join(unix.Dup3(2, Errors, 0), unix.Dup3(null, 2, 0), unix.Close(null))
}

// placeWorkspace mounts the workspace where the account of the command can reach it: the way to it is the worker's
// alone. Only this process and what it becomes see that.
func (s *staging) placeWorkspace() error {
	if !s.root {
		return nil
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	from, at := "", ""
	for i, m := range s.Job.Mounts {
		if !m.Within {
			continue
		}
		if at == "" {
			tree, err := openSource(m)
			if err != nil {
				return err
			}
			if from, at = m.Source, s.place(); at == "" {
				return unix.ENOENT
			}
			if err := unix.MoveMount(tree, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
				return err
			}
		}
		s.Job.Mounts[i].Source = at + strings.TrimPrefix(m.Source, from)
	}
	return nil
}

// place is a directory of which nothing is needed until bwrap is done; empty if there is none.
func (s *staging) place() string {
	needed := []string{s.Bwrap}
	for _, m := range s.Job.Mounts {
		if !m.Within {
			needed = append(needed, m.Source)
		}
	}
	for _, p := range places {
		info, err := os.Stat(p)
		free := err == nil && info.IsDir()
		for _, n := range needed {
			free = free && n != p && !strings.HasPrefix(n, p+"/")
		}
		if free {
			return p
		}
	}
	return ""
}

// setAccount becomes the account of the command, without any capability: bwrap takes a process that has some for one
// that it is to have rights of the host from.
func (s *staging) setAccount() error {
	if s.root {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(s.GID, s.GID, s.GID), syscall.Setresuid(s.UID, s.UID, s.UID)); err != nil {
			return err
		}
	}
	if err := giveUpCapabilities(); err != nil {
		return err
	}
	// The kernel forgets it when the account changes, and never had it for this thread.
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
}

// prepare makes the arguments of bwrap, which everyone on the host could read: they hold nothing but a descriptor from which
// the others come.
func (s *staging) prepare() error {
	list, err := arguments(s.Job)
	if err != nil {
		return err
	}
	fd, err := content(strings.Join(list, "\x00") + "\x00")
	if err != nil {
		return err
	}
	s.arguments = append([]string{"bwrap", "--args", fd}, tail...)
	return nil
}

// tail are the last arguments of bwrap.
var tail = []string{"--", ownProgram}

// Starting reports whether a command line, as /proc shows it, is that of a bwrap that a stage became.
func Starting(line string) bool {
	fd, ok := strings.CutPrefix(line, "bwrap\x00--args\x00")
	fd, ends := strings.CutSuffix(fd, "\x00"+strings.Join(tail, "\x00")+"\x00")
	number, err := strconv.ParseUint(fd, 10, 31)
	return ok && ends && err == nil && strconv.FormatUint(number, 10) == fd
}
