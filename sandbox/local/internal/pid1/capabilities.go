//go:build linux

package pid1

import (
	"errors"

	"golang.org/x/sys/unix"
)

// lastCapability is more than any kernel has.
const lastCapability = 63

// dropCapabilities gives up all capabilities of this thread and of what it starts, also those that a program with
// privileges would bring.
func dropCapabilities(*state) error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	for c := range uintptr(lastCapability + 1) {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			break // the kernel has no more
		}
		// A launcher that made the sandbox has taken the right to do that, and with it all of them.
		if err != nil && !(errors.Is(err, unix.EPERM) && bounded()) {
			return err
		}
	}
	return giveUpCapabilities()
}

// giveUpCapabilities gives up those of this thread.
func giveUpCapabilities() error {
	var none [2]unix.CapUserData
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0])
}

// bounded reports whether no program can bring a capability.
func bounded() bool {
	for c := range uintptr(lastCapability + 1) {
		has, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, c, 0, 0, 0)
		if errors.Is(err, unix.EINVAL) {
			return c > 0
		}
		if err != nil || has != 0 {
			return false
		}
	}
	return true
}
