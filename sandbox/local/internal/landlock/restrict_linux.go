package landlock

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Need is the least version of the kernel's interface that is enough, that of Linux 6.12: before it a process could end
// others of its account, and so who looks after it.
const Need = 6

// An Access is what may be done with a file, or in a directory and all below it.
type Access uint64

// What there is to allow. All else is denied, but what the kernel never asks Landlock about: to look whether a path is
// there, and to change the mode, the owner, the times and the attributes of what it leads to.
const (
	Read  Access = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	Write Access = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	// Use is for devices, and Control to command them.
	Use     Access = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	Control Access = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	// every is what the kernel is to ask about, of the files.
	every = Read | Write | Control | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK
	// ofFile is what there is to allow with what is no directory.
	ofFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | Use | Control
)

// A Rule allows something. The descriptor may be one of O_PATH.
type Rule struct {
	FD     int
	Access Access
}

// ErrOld is the error of a kernel whose interface is older than [Need].
var ErrOld = errors.New("landlock: the kernel's interface is too old")

// Available says why this process cannot give up rights, nil if it can. The error is one of the kernel, or [ErrOld].
func Available() error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return errno
	}
	return enough(version)
}

func enough(version uintptr) error {
	if version < Need {
		return ErrOld
	}
	return nil
}

// Restrict gives up, for this thread, all files but what the rules allow, TCP, and to reach processes and abstract sockets
// outside of the domain that it makes. The thread must have no_new_privs. The error is one of the kernel, or [ErrOld]; the
// process must end then.
func Restrict(rules []Rule) error {
	return confine(unix.LandlockRulesetAttr{
		Access_fs:  uint64(every),
		Access_net: unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP,
		Scoped:     unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL,
	}, rules)
}

// confine puts this thread into a new domain.
func confine(attr unix.LandlockRulesetAttr, rules []Rule) error {
	set, err := newRuleset(attr)
	if err != nil {
		return err
	}
	defer func() { _ = set.Close() }()
	for _, r := range rules {
		if err := allow(set, r); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set.Fd(), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func newRuleset(attr unix.LandlockRulesetAttr) (*os.File, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	//nolint:gosec // the call takes an address
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return nil, errno
	}
	return os.NewFile(fd, "ruleset"), nil
}

func allow(set *os.File, r Rule) error {
	var is unix.Stat_t
	if err := unix.Fstat(r.FD, &is); err != nil {
		return err
	}
	if is.Mode&unix.S_IFMT != unix.S_IFDIR {
		r.Access &= ofFile
	}
	// As the kernel has it, which packs the two: golang.org/x/sys leaves room after them, which does no harm.
	attr := unix.LandlockPathBeneathAttr{Allowed_access: uint64(r.Access), Parent_fd: int32(r.FD)} //nolint:gosec // a descriptor
	//nolint:gosec // the call takes an address
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, set.Fd(), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("landlock: a rule: %w", errno)
	}
	return nil
}
