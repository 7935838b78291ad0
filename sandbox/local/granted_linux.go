package local

import (
	"fmt"
	"os"
)

// open takes hold of what is behind the grant, with the worker's rights and without links on the way, as the first process
// of a command does.
func (g grant) open() (*granted, error) {
	fd, err := pin(g.source)
	if err != nil {
		return nil, g.gone()
	}
	handle := os.NewFile(uintptr(fd), g.path)
	h := &granted{handle: handle, file: fmt.Sprintf("/proc/self/fd/%d", fd)}
	info, err := handle.Stat()
	if err == nil && info.IsDir() {
		h.root, err = os.OpenRoot(h.file)
	}
	if err != nil {
		h.close()
		return nil, errUnopened
	}
	return h, nil
}
