//go:build linux

package pid1

import "golang.org/x/sys/unix"

// pivot makes the new root the only one, and closes it for writing.
func pivot(*state) error {
	if err := unix.PivotRoot(".", "."); err != nil {
		return err
	}
	// The old root is mounted over the new one now.
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
}
