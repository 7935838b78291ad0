//go:build linux

package pid1

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// places are directories that the new root may be mounted on until it is the root: whatever is in them is in hand.
var places = []string{"/tmp", "/run", "/mnt", "/var"}

// rootSize is enough for directories, links and a few small files.
const rootSize = 1 << 20

// makeRoot makes the new root directory and enters it.
func makeRoot(s *state) error {
	at := ""
	for _, p := range places {
		if info, err := os.Stat(p); err == nil && info.IsDir() {
			at = p
			break
		}
	}
	if at == "" {
		return unix.ENOENT
	}
	if err := mountTmpfs(at, unix.MS_NOSUID|unix.MS_NODEV, 0o755, rootSize); err != nil {
		return err
	}
	if err := unix.Chdir(at); err != nil {
		return err
	}
	for name, to := range s.job.Links {
		if err := os.Symlink(to, name); err != nil {
			return err
		}
	}
	// The rest of what may be written shares one file system, so that it has one limit.
	if err := makeDirs("tmp"); err != nil {
		return err
	}
	if err := mountTmpfs("tmp", unix.MS_NOSUID|unix.MS_NODEV, 0o1777, s.job.Scratch); err != nil {
		return err
	}
	if err := makeDirs("run", "var", "home"); err != nil {
		return err
	}
	return os.Symlink("/tmp", "var/tmp")
}

func mountTmpfs(at string, flags uintptr, mode uint32, size int64) error {
	// A file takes a few inodes of the same memory: small files must not get around the size.
	options := fmt.Sprintf("mode=%o,size=%d,nr_inodes=%d", mode, size, max(size/4096, 1024))
	return unix.Mount("tmpfs", at, "tmpfs", flags, options)
}

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

// makeDirs makes directories below the current one.
func makeDirs(names ...string) error {
	for _, name := range names {
		if err := os.MkdirAll(name, 0o755); err != nil { //nolint:gosec // everyone may look
			return err
		}
	}
	return nil
}

// makeFile makes a file below the current directory.
func makeFile(name, content string) error {
	if err := makeDirs(path.Dir(name)); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // everyone may read it
	if err != nil {
		return err
	}
	_, err = strings.NewReader(content).WriteTo(f)
	return errors.Join(err, f.Close())
}
