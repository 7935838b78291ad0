//go:build linux

package pid1

import (
	"os"

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
	// With /dev/shm, which has the same size, it is all that may be written outside the workspace.
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
