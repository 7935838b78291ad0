package probe

import (
	"errors"
	"os/exec"

	"golang.org/x/sys/unix"
)

// How much a probe uses before it gives up and reports that there is no limit.
const (
	maxProcesses = 300
	maxOpenFiles = 2048
)

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
