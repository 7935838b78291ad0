package local

import (
	"os"

	"golang.org/x/sys/unix"
)

// pollable returns a master whose reads and writes can be given deadlines. It takes the place of the one it is given.
func pollable(master *os.File) *os.File {
	fd, err := unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return master
	}
	if unix.SetNonblock(fd, true) != nil {
		_ = unix.Close(fd)
		return master
	}
	name := master.Name()
	_ = master.Close()
	return os.NewFile(uintptr(fd), name)
}
