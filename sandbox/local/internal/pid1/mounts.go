//go:build linux

package pid1

import (
	"errors"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// putSources puts the mounts in place, below the new root.
func putSources(s *state) error {
	root, err := os.OpenRoot(".")
	if err != nil {
		return err
	}
	defer root.Close()
	for i, m := range s.job.Mounts {
		if s.sources[i] < 0 {
			continue
		}
		if err := m.place(s.sources[i], root); err != nil {
			return err
		}
		if err := unix.Close(s.sources[i]); err != nil {
			return err
		}
	}
	return nil
}

// place puts a tree at its place below the new root, and makes what it is mounted on. That may be in a directory which
// commands of another sandbox change meanwhile, so nothing is made outside of the root, and where links are traps none is
// followed: the tree would hide something else.
func (m Mount) place(tree int, root *os.Root) error {
	at := strings.TrimPrefix(m.Target, "/")
	if err := makePlace(tree, root, at); err != nil {
		return err
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH}
	if m.pinned() {
		how.Resolve |= unix.RESOLVE_NO_SYMLINKS
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, at, &how)
	if err != nil {
		return err
	}
	return errors.Join(unix.MoveMount(tree, "", fd, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH), unix.Close(fd))
}

// makePlace makes an empty directory or file for a tree, unless there is something.
func makePlace(tree int, root *os.Root, at string) error {
	var is unix.Stat_t
	if err := unix.Fstat(tree, &is); err != nil {
		return err
	}
	if is.Mode&unix.S_IFMT == unix.S_IFDIR {
		return root.MkdirAll(at, 0o755)
	}
	if err := root.MkdirAll(path.Dir(at), 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	return errors.Join(err, f.Close())
}
