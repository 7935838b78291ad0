//go:build linux

package pid1

import (
	"os"

	"golang.org/x/sys/unix"
)

// makeDev completes /dev: the devices themselves are mounts of the job.
func makeDev(s *state) error {
	for name, to := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx",
	} {
		if err := os.Symlink(to, "dev/"+name); err != nil {
			return err
		}
	}
	if err := makeDirs("dev/pts", "dev/shm"); err != nil {
		return err
	}
	const quiet = unix.MS_NOSUID | unix.MS_NOEXEC
	if err := unix.Mount("devpts", "dev/pts", "devpts", quiet, "newinstance,ptmxmode=0666,mode=0620"); err != nil {
		return err
	}
	return mountTmpfs("dev/shm", quiet|unix.MS_NODEV, 0o1777, s.job.Scratch)
}
