package local

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/pid1"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/program"
)

// findBubblewrap returns the path of the program. One that has rights of its own is refused: it would use those of the
// host where it is to use none.
func findBubblewrap(o Options) (string, error) {
	bwrap := o.Bwrap
	if bwrap == "" {
		found, err := program.Look("bwrap", "/", []string{"PATH=" + o.Path})
		if err != nil {
			return "", refusal(Bubblewrap, "search for bwrap", nil)
		}
		bwrap = found
	}
	info, err := os.Stat(bwrap)
	if err != nil || program.Executable(bwrap) != nil {
		return "", refusal(Bubblewrap, "search for bwrap", nil)
	}
	_, err = unix.Getxattr(bwrap, "security.capability", nil)
	if info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 || err == nil {
		return "", refusal(Bubblewrap, "check of bwrap", nil)
	}
	return bwrap, nil
}

// prepare says how the first process comes about of a sandbox whose commands have the account a.
func (n *native) prepare(l *launch, a account) error {
	program, err := sealedProgram()
	if err != nil {
		return err
	}
	l.files = []*os.File{program}
	if n.bwrap != "" {
		return n.stage(l, a)
	}
	l.start = pid1.Start{Name: cmp.Or(n.options.faults.program, pid1.Name), Attributes: n.attributes(a)}
	return nil
}

// stage prepares a launch in which the worker's program becomes bwrap, which starts it as the first process.
func (n *native) stage(l *launch, a account) error {
	l.job.Made = true
	mounts, err := pid1.Pin(l.job.Mounts)
	if err != nil {
		return refusal(Bubblewrap, "sources", err)
	}
	l.job.Mounts = mounts
	l.stage = &pid1.Stage{Bwrap: n.bwrap, UID: a.uid, GID: a.gid, Job: l.job}
	l.stage.Job.Args, l.stage.Job.Env = nil, nil
	l.files = append(l.files, l.files...) // the second keeps the place of [pid1.Errors]
	l.start = pid1.Start{Name: pid1.StageName, Attributes: syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}}
	if a.other() {
		// With bwrap as the first process of a namespace the kernel ends what it starts, whenever it ends itself.
		l.start.Attributes.Cloneflags = unix.CLONE_NEWNS | unix.CLONE_NEWPID
	}
	return nil
}

// pass lets the stage go on, which is in its control group by now, and takes hold of the first process that comes of it:
// it is the child of bwrap, which the starter waits for, and may outlive that by a little.
func (l *launch) pass(ctx context.Context) error {
	if err := errors.Join(l.channel.Identify(), l.channel.Send(l.stage)); err != nil {
		return refusal(l.launcher, "socket pair", err)
	}
	r, err := l.hello(ctx, "bwrap")
	if err != nil {
		return err
	}
	if l.inner, err = hold(r.PID); err != nil {
		return refusal(l.launcher, "bwrap", err)
	}
	return nil
}

// held is a process of another parent, which no other can be taken for. Nil is none.
type held struct{ fd int }

func hold(pid int) (*held, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, err
	}
	return &held{fd: fd}, nil
}

// end kills the process. If it was the first of its namespace, nothing is left of that when end returns.
func (h *held) end() { _ = h.endWithin(-time.Millisecond) }

// endWithin is end, for no longer than some time if that is not negative. It reports whether the process is over.
func (h *held) endWithin(patience time.Duration) bool {
	if h == nil {
		return true
	}
	defer func() { _ = unix.Close(h.fd) }()
	_ = unix.PidfdSendSignal(h.fd, unix.SIGKILL, nil, 0)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(h.fd), Events: unix.POLLIN}}, int(patience/time.Millisecond)) //nolint:gosec // a descriptor
		if !errors.Is(err, unix.EINTR) {
			return n > 0
		}
	}
}
