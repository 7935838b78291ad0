package local

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Read returns a file, also one that a link inside the workspace or the path grant leads to.
func (s *box) Read(ctx context.Context, name string) ([]byte, error) {
	_, done, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	g, rel, err := s.locate(name)
	if err != nil {
		return nil, err
	}
	if g != nil {
		return s.readGranted(g, rel, name)
	}
	root, err := s.workspace()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, _, err := openRegular(root.Root, rel, os.O_RDONLY)
	if err != nil {
		return nil, unread(name, err, func(err, other error) error { return orEscape(root.Root, err, other) })
	}
	return s.readAll(f)
}

func (s *box) readGranted(g *grant, rel, name string) (data []byte, err error) {
	err = s.use(g, backend.ArchiveRead, func(h *granted) error {
		f, err := h.openRegular(rel, os.O_RDONLY)
		if err != nil {
			return unread(name, err, h.orEscaped)
		}
		data, err = s.readAll(f)
		return err
	})
	return data, err
}

// unread is the error of a file that was not opened.
func unread(name string, err error, orEscape func(err, other error) error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return backend.FileNotFound(name)
	case errors.Is(err, errIrregular):
		return refuse(backend.ArchiveRead, "only regular files can be read")
	}
	return orEscape(err, refuse(backend.ArchiveRead, "the file cannot be read: look at its mode and those of its directories"))
}

// readAll reads a file to its end, and closes it.
func (s *box) readAll(f *os.File) ([]byte, error) {
	defer func() { _ = f.Close() }()
	limit := s.backend.options.MaxFileBytes
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	switch {
	case err != nil:
		return nil, failed(backend.ArchiveRead, "the file could not be read to its end")
	case int64(len(data)) > limit:
		return nil, refuse(backend.ArchiveRead, "the file is larger than this host reads: read parts of it with a command")
	}
	return data, nil
}

// Write writes a file, also one that a link inside the workspace or the path grant leads to. It is written beside the one
// that is there and takes its place when it is whole, with its mode; so other hard links to it, and who has it open, keep
// the old one. A file that is granted by itself is overwritten.
func (s *box) Write(ctx context.Context, name string, data []byte) error {
	ctx, done, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	g, rel, err := s.locate(name)
	if err != nil {
		return err
	}
	if g != nil {
		return s.writeGranted(g, rel, data)
	}
	root, err := s.workspace()
	if err != nil {
		return err
	}
	defer root.Close()
	more := inodeSize + int64(len(data))
	if info, err := root.Stat(rel); err == nil && info.Mode().IsRegular() {
		more -= occupied(info)
	}
	if err := s.disk.admit(ctx, more); err != nil {
		return err
	}
	if err := write(root, rel, data); err != nil {
		return orEscape(root.Root, err, errUnwritten)
	}
	return nil
}

func (s *box) writeGranted(g *grant, rel string, data []byte) error {
	if !g.writable {
		return errReadOnly
	}
	return s.use(g, backend.ArchiveWrite, func(h *granted) error {
		if err := h.write(rel, data); err != nil {
			return h.orEscaped(err, errUnwritten)
		}
		return nil
	})
}

var errUnwritten = refuse(backend.ArchiveWrite, "the file could not be written: look whether it is a directory, at its mode, and at the space that is left")

func write(root *workspace, name string, data []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	mode, err := modeOfFile(root.Root, name)
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if name, err = linked(root.Root, name); err != nil {
		return err
	}
	if there {
		return replaceFile(root, name, bytes.NewReader(data), mode)
	}
	return replace(root, name, func(part string) error { return makeFile(root, part, bytes.NewReader(data), 0o666) })
}

// modeOfFile returns the mode of a file that can be written.
func modeOfFile(root *os.Root, name string) (fs.FileMode, error) {
	f, info, err := openRegular(root, name, os.O_WRONLY)
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), f.Close()
}

var errIrregular = errors.New("local: not a regular file")

// openRegular opens a regular file, also through links.
func openRegular(root *os.Root, name string, flag int) (*os.File, fs.FileInfo, error) {
	return opened(
		func() (fs.FileInfo, error) { return root.Stat(name) },
		func() (*os.File, error) { return root.OpenFile(name, flag|nonBlocking, 0) },
	)
}

// opened opens what is a regular file. Something else is not opened if that shows before: for a device that may be an act.
func opened(stat func() (fs.FileInfo, error), open func() (*os.File, error)) (*os.File, fs.FileInfo, error) {
	info, err := stat()
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, errIrregular
	}
	f, err := open()
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = errIrregular
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// maxLinks is how many links are followed, as many as Linux does.
const maxLinks = 40

// linked returns the name that the links of that name lead to. There may be nothing at it.
func linked(root *os.Root, name string) (string, error) {
	for range maxLinks {
		info, err := root.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return name, nil
		case err != nil:
			return "", err
		case info.Mode().Type() != fs.ModeSymlink:
			return name, nil
		}
		target, err := root.Readlink(name)
		if err != nil {
			return "", err
		}
		// Not cleaned: what goes up after another link is left to the root.
		dir, _ := path.Split(name)
		name = dir + target
	}
	return "", errors.New("local: too many links")
}
