package probe

import (
	"io"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// terminal tries to type into a terminal: into that of the worker, and into one of its own, since whoever may do the
// latter may do the former to any that it is given.
func terminal(_ Task, f *found) {
	f.try()
	if opens("/dev/tty", unix.O_RDWR) {
		f.breach("the terminal of whoever runs the worker")
	}
	ptmx, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return // it can have none
	}
	defer ptmx.Close() //nolint:errcheck // it goes with the process
	if unix.IoctlSetPointerInt(int(ptmx.Fd()), unix.TIOCSPTLCK, 0) != nil {
		return
	}
	n, err := unix.IoctlGetInt(int(ptmx.Fd()), unix.TIOCGPTN)
	if err != nil {
		return
	}
	end, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return
	}
	defer end.Close() //nolint:errcheck // it goes with the process
	cmd := self("push")
	cmd.Stdin = end
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	f.try()
	if err := cmd.Run(); cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == pushed {
		f.breach("TIOCSTI types into a terminal")
	} else if err != nil && cmd.ProcessState == nil {
		f.breach("a process with a terminal cannot be started")
	}
}

// pushed is the exit code of a process that typed into its terminal.
const pushed = 3

// push types into the terminal that the process has.
func push([]string, io.Reader, io.Writer) int {
	if unix.IoctlSetPointerInt(0, unix.TIOCSTI, 'x') == nil {
		return pushed
	}
	return 0
}
