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
		return nil, orEscape(root.Root, err, refuse(backend.ArchiveRead, "the file cannot be read: look at its mode and those of its directories"))
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

// Write writes a file, also one that a link inside the workspace leads to. It is written beside the one that is there
// and takes its place when it is whole, with its mode; so other hard links to it, and who has it open, keep the old one.
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
		return orEscape(root.Root, err, refuse(backend.ArchiveWrite, "the file could not be written: look whether it is a directory, at its mode, and at the space that is left"))
	}
	return nil
}

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
	f, err := root.OpenFile(name, os.O_WRONLY|nonBlocking, 0)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("local: not a regular file")
	}
	if err != nil {
		return 0, err
	}
	return info.Mode().Perm(), nil
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
