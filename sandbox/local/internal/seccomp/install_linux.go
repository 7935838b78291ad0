package seccomp

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The longest program that the kernel takes.
const longest = 4096

// Available says whether this process could install a filter, without installing one. The error wraps [ErrUnavailable]
// and says what is missing.
func Available() error {
	if _, ok := architectures[runtime.GOARCH]; !ok {
		return errArchitecture()
	}
	for _, action := range []uint32{unix.SECCOMP_RET_KILL_PROCESS, unix.SECCOMP_RET_ERRNO} {
		//nolint:gosec // the call takes an address
		if _, err := seccomp(unix.SECCOMP_GET_ACTION_AVAIL, 0, unsafe.Pointer(&action)); err != nil {
			return unavailable("the kernel cannot end processes or refuse calls", err)
		}
	}
	// A program at no address: the kernel reads it only when it has filters and can give them to every thread.
	_, err := seccomp(unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, nil)
	if !errors.Is(err, unix.EFAULT) {
		return unavailable("the kernel takes no filter for all threads", err)
	}
	return nil
}

func unavailable(step string, err error) error {
	return fmt.Errorf("%w: %s (%w): use Linux 4.14 or later with CONFIG_SECCOMP_FILTER, and see that the container that "+
		"this worker runs in permits the call seccomp", ErrUnavailable, step, err)
}

// Install puts all threads of this process, and all that they start, under the filter, for good. It gives up gaining
// privileges by exec first (no_new_privs), without which only root may install filters, and set-user-ID programs would
// run under them.
//
// The error names the step that failed. The process must then end without running what the filter was for.
func Install(filter []unix.SockFilter) error {
	if len(filter) == 0 || len(filter) > longest {
		return fmt.Errorf("seccomp: a filter of %d instructions, must be 1 to %d: use what Filter returned", len(filter), longest)
	}
	// The flag belongs to a thread; from this one the filter brings it to the others.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("seccomp: set no_new_privs: %w: use Linux 4.14 or later", err)
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]} //nolint:gosec // the length is looked at above
	//nolint:gosec // the call takes an address
	thread, err := seccomp(unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, unsafe.Pointer(&program))
	if err != nil {
		return fmt.Errorf("seccomp: install the filter: %w: see what Available says", err)
	}
	if thread != 0 {
		return errors.New("seccomp: install the filter: a thread has another filter: call Install before other code starts threads")
	}
	return nil
}

// seccomp returns the thread that could not be put under a filter, which is not an errno, or 0.
func seccomp(operation, flags uintptr, argument unsafe.Pointer) (uintptr, error) {
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, operation, flags, uintptr(argument))
	if errno != 0 {
		return 0, errno
	}
	return thread, nil
}
