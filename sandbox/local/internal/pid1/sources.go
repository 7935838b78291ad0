//go:build linux

package pid1

import (
	"errors"

	"golang.org/x/sys/unix"
)

// openSources takes hold of what the sandbox shows of the host, before the host's file system is out of sight and
// while the process still has the account of the worker. No path is looked at again later. Sources in the directory
// of a sandbox are not reached through links.
func openSources(s *state) error {
	// Nothing that is mounted here may be seen outside.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	for _, m := range s.job.Mounts {
		fd, err := openSource(m)
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

// absent reports whether there is no directory where one was opened, or a link.
func absent(err error) bool {
	return errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ELOOP)
}

// pinned reports whether a command may be able to put a link in the place of the source.
func (m Mount) pinned() bool { return m.Within || m.Direct }

// open opens what is at a path of the mount, as it may be opened.
func (m Mount) open(name string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC}
	if m.Within {
		how.Flags |= unix.O_DIRECTORY
	}
	if m.pinned() {
		how.Resolve = unix.RESOLVE_NO_SYMLINKS
	}
	return unix.Openat2(unix.AT_FDCWD, name, &how)
}

func openSource(m Mount) (int, error) {
	fd, err := m.open(m.Source)
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(fd) }()
	tree, err := unix.OpenTree(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE|unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
	if err != nil {
		return -1, err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID}
	if !m.Writable && !m.Device {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	if !m.Device {
		attr.Attr_set |= unix.MOUNT_ATTR_NODEV
	}
	return tree, unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr)
}
