package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Read returns a file, also one that a link inside the workspace leads to.
func (s *box) Read(ctx context.Context, name string) ([]byte, error) {
	_, done, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	rel, err := relative(s.root, name)
	if err != nil {
		return nil, err
	}
	root, err := s.workspace()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(rel, os.O_RDONLY|nonBlocking, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, backend.FileNotFound(name)
	case err != nil:
		return nil, orEscape(root, err, refuse(backend.ArchiveRead, "the file cannot be read: look at its mode and those of its directories"))
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, refuse(backend.ArchiveRead, "only regular files can be read")
	}
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

// Write writes a file, also one that a link inside the workspace leads to. A file that is there keeps its mode.
func (s *box) Write(ctx context.Context, name string, data []byte) error {
	_, done, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	rel, err := relative(s.root, name)
	if err != nil {
		return err
	}
	root, err := s.workspace()
	if err != nil {
		return err
	}
	defer root.Close()
	if err := write(root, rel, data); err != nil {
		return orEscape(root, err, refuse(backend.ArchiveWrite, "the file could not be written: look whether it is a directory, at its mode, and at the space that is left"))
	}
	return nil
}

func write(root *os.Root, name string, data []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|nonBlocking, 0o666)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("local: not a regular file")
	}
	if err == nil {
		err = f.Truncate(0)
	}
	if err == nil {
		_, err = f.Write(data)
	}
	return errors.Join(err, f.Close())
}
