//go:build linux

package pid1

import (
	"strings"

	"golang.org/x/sys/unix"
)

// putSources puts the mounts in place, below the new root.
func putSources(s *state) error {
	for i, m := range s.job.Mounts {
		if s.sources[i] < 0 {
			continue
		}
		if err := place(s.sources[i], strings.TrimPrefix(m.Target, "/")); err != nil {
			return err
		}
		if err := unix.Close(s.sources[i]); err != nil {
			return err
		}
	}
	return nil
}

// place puts a tree at a path below the new root, and makes what it is mounted on.
func place(tree int, at string) error {
	var is unix.Stat_t
	if err := unix.Fstat(tree, &is); err != nil {
		return err
	}
	if is.Mode&unix.S_IFMT == unix.S_IFDIR {
		if err := makeDirs(at); err != nil {
			return err
		}
	} else if err := makeFile(at, ""); err != nil {
		return err
	}
	return unix.MoveMount(tree, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH)
}
