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

var _ backend.Spooler = (*box)(nil)

// Spool makes a file for output that comes bit by bit. Those in [backend.SpoolDir] are in no archive.
func (s *box) Spool(ctx context.Context, name string) (io.WriteCloser, error) {
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
	err = root.MkdirAll(path.Dir(rel), 0o755)
	if err == nil {
		var f *os.File
		if f, err = root.OpenFile(rel, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
			return f, nil
		}
	}
	if errors.Is(err, fs.ErrExist) {
		return nil, refuse(backend.ArchiveWrite, "there is something with the name of the file already")
	}
	return nil, orEscape(root.Root, err, failed(backend.ArchiveWrite, "the file could not be made: look at the space that is left"))
}
