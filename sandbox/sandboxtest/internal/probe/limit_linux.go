package probe

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// How much a probe uses before it gives up and reports that there is no limit.
const (
	maxProcesses = 300
	maxDisk      = 256 << 20
	maxOpenFiles = 2048
)

const mebi = 1 << 20

// limitProcesses starts processes until it is stopped, and ends them.
func limitProcesses(_ Task, f *found) {
	var running []*exec.Cmd
	defer func() {
		for _, cmd := range running {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}()
	for range maxProcesses {
		cmd := exec.Command("sleep", "120")
		f.try()
		if err := cmd.Start(); err != nil {
			if errors.Is(err, exec.ErrNotFound) {
				f.breach("the probe needs the program sleep")
			}
			return
		}
		running = append(running, cmd)
	}
	f.breach("%d processes", maxProcesses)
}

// limitDisk fills the directory for temporary files, with files that are each small. If it is stopped they stay: that
// nothing fits any more is how a backend knows.
func limitDisk(_ Task, f *found) {
	dir, err := os.MkdirTemp("/tmp", "sandboxguard-probe-")
	f.try()
	if err != nil {
		return // nothing can be written there
	}
	part := make([]byte, mebi)
	for i := range maxDisk / mebi {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), part, 0o600); err != nil {
			return
		}
	}
	_ = os.RemoveAll(dir)
	f.breach("256 MiB in /tmp")
}

// limitOpenFiles opens files until it is stopped.
func limitOpenFiles(_ Task, f *found) {
	for range maxOpenFiles {
		fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		f.try()
		if err != nil {
			return
		}
		defer unix.Close(fd) //nolint:errcheck // it goes with the process
	}
	f.breach("%d open files", maxOpenFiles)
}
