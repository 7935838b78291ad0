package local

import (
	"errors"
	"os"
	"syscall"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// granted is what is behind a path grant while an operation uses it: a directory or a file.
type granted struct {
	handle *os.File
	root   *os.Root // nil if it is a file
	file   string   // leads to what the handle is of
}

var (
	errUnopened = errors.New("what is behind the path grant cannot be opened: the worker's account must be able to read it")
	errRights   = errors.New("the worker could not take the rights that commands have: see docs/operations.md")
)

func (h *granted) close() {
	if h.root != nil {
		_ = h.root.Close()
	}
	_ = h.handle.Close()
}

// use calls f with what is behind a grant, with the rights of the sandbox's account: the path may be anything that a
// command could have named. The code is that of the error if it cannot be called.
func (s *box) use(g *grant, code backend.Code, f func(*granted) error) error {
	h, err := g.open()
	if err != nil {
		return refuseFirst(code, err.Error())
	}
	defer h.close()
	var result error
	if err := s.account.as(func() { result = f(h) }); err != nil {
		return refuseFirst(code, err.Error())
	}
	return result
}

// openRegular opens the regular file at a path below the grant.
func (h *granted) openRegular(rel string, flag int) (f *os.File, err error) {
	switch {
	case h.root != nil:
		f, _, err = openRegular(h.root, rel, flag)
	case rel != ".":
		err = syscall.ENOTDIR
	default:
		f, _, err = opened(h.handle.Stat, func() (*os.File, error) { return os.OpenFile(h.file, flag|nonBlocking, 0) })
	}
	return f, err
}

// write puts data in place of a file's contents. A file that is granted itself stays the same file: the directory that
// it is in is not granted.
func (h *granted) write(rel string, data []byte) error {
	if h.root != nil {
		return write(&workspace{Root: h.root}, rel, data)
	}
	f, err := h.openRegular(rel, os.O_WRONLY)
	if err != nil {
		return err
	}
	err = f.Truncate(0)
	if err == nil {
		_, err = f.Write(data)
	}
	return errors.Join(err, f.Close())
}

// isDir reports whether there is a directory at a path below the grant.
func (h *granted) isDir(rel string) bool {
	if h.root == nil {
		return false
	}
	info, err := h.root.Stat(rel)
	return err == nil && info.IsDir()
}

// orEscaped is orEscape for a path below the grant.
func (h *granted) orEscaped(err, other error) error {
	if h.root == nil {
		return other
	}
	return orEscape(h.root, err, other)
}

// errReadOnly is that of a write below a grant to read.
var errReadOnly = refuseFirst(backend.ArchiveWrite, "the path grant is read-only: write below the workspace, or leave read_only out of the grant where the worker allows it")
