package local

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// checkExposed refuses what of the host cannot be shown to commands. Found only when a command is started it would look
// as if the host could not isolate. Entries are named by their index: their paths are the host's.
func (o Options) checkExposed() error {
	var faults []error
	for i, name := range o.System {
		if _, err := os.Lstat(name); err != nil {
			faults = append(faults, fmt.Errorf("local: System[%d] cannot be shown to commands: it must exist, and the worker's account must reach it", i))
		}
	}
	for i, p := range o.Paths {
		fd, err := pin(p.source())
		if err == nil {
			err = unix.Close(fd)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("local: Paths[%d]: %s", i, unreached(err)))
		}
	}
	return errors.Join(faults...)
}

// unreached says why the source of a path grant was not opened, and what to do.
func unreached(err error) string {
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return "there is nothing at its Source: make it before the worker starts, or correct the entry"
	case errors.Is(err, unix.ELOOP):
		return "there is a symbolic link on the way to its Source, or at it: name the place that it leads to"
	case errors.Is(err, unix.EACCES):
		return "the worker's account does not reach its Source: let it enter the directories on the way"
	}
	return "its Source cannot be opened: look at the worker's rights, and whether the kernel is Linux 5.12 or later"
}

// pin takes hold of what is at a path of the host, without links on the way, as the first process of a command does.
func pin(name string) (fd int, err error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	return unix.Openat2(unix.AT_FDCWD, name, &how)
}

// checkGranted refuses path grants behind which there is nothing now. The code is that of the error.
func checkGranted(grants []grant, code backend.Code) error {
	for _, g := range grants {
		fd, err := pin(g.source)
		if err == nil {
			err = unix.Close(fd)
		}
		if err != nil {
			return refuseFirst(code, g.gone().Error())
		}
	}
	return nil
}
