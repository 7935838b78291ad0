package landlock

import (
	"errors"

	"golang.org/x/sys/unix"
)

// A Domain holds all that a thread starts from its making on. Its methods are for that thread alone, which must stay
// locked to its goroutine.
type Domain struct{ thread int }

// ErrOpen is the error of a domain that does not keep signals in.
var ErrOpen = errors.New("landlock: signals leave the domain")

// NewDomain puts this thread into a domain that no signal leaves, and gives up nothing else. The thread must have
// no_new_privs. Outside is a process that it may signal until then, on which it is shown that it may not any more. The
// error is one of the kernel, [ErrOld] or [ErrOpen]; the process must end then.
func NewDomain(outside int) (*Domain, error) {
	if err := unix.Kill(outside, 0); err != nil {
		return nil, err
	}
	// Each domain denies to move files between directories, whatever it is asked for, but where it allows that.
	root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unix.Close(root) }()
	move := Rule{FD: root, Access: unix.LANDLOCK_ACCESS_FS_REFER}
	err = confine(unix.LandlockRulesetAttr{Access_fs: uint64(move.Access), Scoped: unix.LANDLOCK_SCOPE_SIGNAL}, []Rule{move})
	if err != nil {
		return nil, err
	}
	if err := unix.Kill(outside, 0); !errors.Is(err, unix.EPERM) {
		return nil, ErrOpen
	}
	return &Domain{thread: unix.Gettid()}, nil
}

// Signal sends a signal to all processes of the domain but this one. The kernel does it at once: no process can start
// another meanwhile that would not get it, so after SIGKILL there is none that could start one.
func (d *Domain) Signal(signal unix.Signal) error {
	// Elsewhere it would go to all of the host.
	if d == nil || unix.Gettid() != d.thread {
		return ErrOpen
	}
	err := unix.Kill(-1, signal)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}
