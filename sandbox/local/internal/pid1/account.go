//go:build linux

package pid1

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// setAccount becomes the account of the command. It keeps its capabilities, which reach no further than the sandbox,
// until they are dropped: file systems made here must belong to an account that the sandbox knows.
func setAccount(s *state) error {
	if unix.Getuid() == s.job.UID && unix.Getgid() == s.job.GID {
		return nil // an ordinary worker's: it may give up no group
	}
	if err := syscall.Setgroups(nil); err != nil {
		return err
	}
	if err := syscall.Setresgid(s.job.GID, s.job.GID, s.job.GID); err != nil {
		return err
	}
	if err := syscall.Setresuid(s.job.UID, s.job.UID, s.job.UID); err != nil {
		return err
	}
	// The kernel forgets both when the account changes.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
}
