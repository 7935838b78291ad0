package local

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// open takes hold of what is behind the grant, with the worker's rights and without links on the way, as the first process
// of a command does.
func (g grant) open() (*granted, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, g.source, &how)
	if err != nil {
		return nil, errGone
	}
	handle := os.NewFile(uintptr(fd), g.path)
	h := &granted{handle: handle, file: fmt.Sprintf("/proc/self/fd/%d", fd)}
	info, err := handle.Stat()
	if err == nil && info.IsDir() {
		h.root, err = os.OpenRoot(h.file)
	}
	if err != nil {
		h.close()
		return nil, errGone
	}
	return h, nil
}
