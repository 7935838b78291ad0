//go:build linux

package pid1

import (
	"errors"

	"golang.org/x/sys/unix"
)

// Pin notes what the sources are that commands may be able to replace, for a launcher that finds them by their paths: one
// that runs could put a link in the place of a source at any time. Those in the directory of a sandbox that are no
// directories are left out.
func Pin(mounts []Mount) ([]Mount, error) {
	var out []Mount
	for _, m := range mounts {
		if m.pinned() {
			fd, err := m.open(m.Source)
			if m.Within && absent(err) {
				continue
			}
			if err != nil {
				return nil, err
			}
			m.Is, err = identify(fd)
			if err = errors.Join(err, unix.Close(fd)); err != nil {
				return nil, err
			}
		}
		out = append(out, m)
	}
	return out, nil
}

// takeOver takes over from a launcher that made the sandbox. Before a command runs in it, all that it shows of what
// commands may be able to replace must be what was meant: nothing was lost until then but a mount that ends with this process.
func takeOver(s *state) error {
	if !s.job.Made {
		return nil
	}
	if err := errors.Join(unix.Dup3(Errors, 2, 0), unix.Close(Errors)); err != nil {
		return err
	}
	for _, m := range s.job.Mounts {
		if !m.pinned() {
			continue
		}
		if err := m.check(); err != nil {
			return err
		}
	}
	return nil
}

// check refuses a mount that is not what was pinned, is not closed for writing as it should be, or is not in its place:
// what is there without it could be the same, while it hides something else.
func (m Mount) check() error {
	fd, err := m.open(m.Target)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	is, err := identify(fd)
	if err != nil {
		return err
	}
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil {
		return err
	}
	var x unix.Statx_t
	if err := unix.Statx(fd, "", unix.AT_EMPTY_PATH, 0, &x); err != nil {
		return err
	}
	closed := int64(unix.ST_NOSUID | unix.ST_NODEV)
	if !m.Writable {
		closed |= unix.ST_RDONLY
	}
	if is != m.Is || x.Attributes&unix.STATX_ATTR_MOUNT_ROOT == 0 || int64(fs.Flags)&closed != closed { //nolint:unconvert // its type is not the same everywhere
		return unix.ESTALE
	}
	return nil
}

func identify(fd int) (Inode, error) {
	var is unix.Stat_t
	err := unix.Fstat(fd, &is)
	return Inode{Device: uint64(is.Dev), Number: is.Ino}, err //nolint:unconvert // its type is not the same everywhere
}
