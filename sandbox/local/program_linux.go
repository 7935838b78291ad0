package local

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// sealedProgram returns a copy of the worker's program in memory that nobody can change, made once. A sandbox is
// started from it: what runs there can reach its own program through /proc, and with the rights of the worker's account
// it could otherwise change the file on disk.
var sealedProgram = sync.OnceValues(func() (*os.File, error) {
	f, err := copyOfSelf()
	if err != nil {
		return nil, fmt.Errorf("local: the worker's program could not be copied into memory, which the launcher starts it from: %w", withoutPath(err))
	}
	return f, nil
})

func copyOfSelf() (*os.File, error) {
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, err
	}
	defer func() { _ = self.Close() }()
	fd, err := unix.MemfdCreate("sandboxguard", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING|unix.MFD_EXEC)
	if errors.Is(err, unix.EINVAL) { // before Linux 6.3 all of them can be executed
		fd, err = unix.MemfdCreate("sandboxguard", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	}
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "program")
	if _, err := io.Copy(f, self); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	const all = unix.F_SEAL_SEAL | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_WRITE
	if _, err := unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, all); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// withoutPath is the part of an error that names nothing of the host.
func withoutPath(err error) error {
	var errno unix.Errno
	if errors.As(err, &errno) {
		return errno
	}
	return errors.New("unknown error")
}
