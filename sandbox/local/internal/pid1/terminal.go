//go:build linux

package pid1

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// console is a terminal of the sandbox's own.
type console struct{ master, slave *os.File }

// openConsole makes the terminal of a command that is to have one, among the sandbox's devices.
func openConsole(s *state) error {
	if !s.job.Terminal {
		return nil
	}
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return err
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		return err
	}
	s.console = &console{master: master, slave: slave}
	return nil
}
