package local

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"slices"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

var errArchiveSize = refuse(backend.ArchiveWrite, "the archive is over the limits of this host: nothing was written")

// Hydrate puts an archive into the workspace: plain tar, or packed with gzip or bzip2. It is kept in a file and read
// to its end before anything is written. Each file and link is put in place when it is whole. The archive as a whole is
// not: if the context ends or the space does, some of it is in the workspace, and hydrating again puts the rest there.
func (s *box) Hydrate(ctx context.Context, r io.Reader) error {
	ctx, done, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer done()
	full, err := s.fill(ctx)
	if err != nil {
		return err
	}
	defer full()
	spool, err := s.spool(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = spool.Close() }()
	root, err := s.workspace()
	if err != nil {
		return err
	}
	defer root.Close()
	members, err := s.readMembers(ctx, spool)
	if err == nil {
		err = members.fit(root.Root)
	}
	if err == nil && s.disk != nil {
		err = s.disk.admit(ctx, members.more(root.Root))
	}
	if err != nil {
		return orCause(ctx, err)
	}
	if err := extract(ctx, root, spool, members); err != nil {
		return orCause(ctx, orEscape(root.Root, err, failed(backend.ArchiveWrite, "the archive could not be written: look at the modes in the workspace, and at the space that is left")))
	}
	return s.setFilled()
}

func orCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// spool keeps an archive in a file that has no name any more.
func (s *box) spool(ctx context.Context, r io.Reader) (*os.File, error) {
	f, err := os.CreateTemp(s.dir(""), "archive-")
	if err != nil {
		return nil, failed(backend.ArchiveWrite, "the archive could not be kept in a file")
	}
	limit := s.backend.options.Archives.MaxInputBytes
	from := io.Reader(withContext{ctx, r})
	if limit > 0 {
		from = io.LimitReader(from, int64(limit)+1)
	}
	n, err := io.Copy(f, from)
	// Windows, where New refuses, would not remove an open file.
	err = errors.Join(err, os.Remove(f.Name()))
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err != nil:
		err = failed(backend.ArchiveWrite, "the archive could not be read to its end, or kept in a file")
	case over(n, limit):
		err = errArchiveSize
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// unpacked reads a spooled archive from its begin.
func unpacked(f *os.File) (*tar.Reader, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	r := bufio.NewReader(f)
	magic, err := r.Peek(3)
	if err != nil {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		packed, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		return tar.NewReader(packed), nil
	case string(magic) == "BZh":
		return tar.NewReader(bzip2.NewReader(r)), nil
	}
	return tar.NewReader(r), nil
}

// extract writes an archive of which everything was looked at: directories, from the outside in, then files, then
// links.
func extract(ctx context.Context, root *workspace, spool *os.File, m *members) error {
	slices.SortFunc(m.dirs, func(a, b member) int { return cmp.Compare(a.name, b.name) })
	for _, dir := range m.dirs {
		if err := extractDir(root, dir); err != nil {
			return err
		}
	}
	if err := extractFiles(ctx, root, spool); err != nil {
		return err
	}
	for _, link := range m.links {
		if err := inParent(root, link.name); err != nil {
			return err
		}
		if err := replaceLink(root, link.name, link.target); err != nil {
			return err
		}
	}
	return nil
}

// extractDir makes a directory in place of the file or link of that name.
func extractDir(root *workspace, dir member) error {
	if info, err := root.Lstat(dir.name); err == nil && !info.IsDir() {
		if err := root.Remove(dir.name); err != nil {
			return err
		}
	}
	return makeDir(root, dir.name, dirMode(dir.mode))
}

func extractFiles(ctx context.Context, root *workspace, spool *os.File) error {
	in, err := unpacked(spool)
	if err != nil {
		return err
	}
	for {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name := path.Clean(h.Name)
		if err := inParent(root, name); err != nil {
			return err
		}
		if err := replaceFile(root, name, withContext{ctx, in}, plainMode(permOf(h))); err != nil {
			return err
		}
	}
}

// inParent makes the directory that something is in, if the archive does not have it.
func inParent(root *workspace, name string) error { return root.MkdirAll(path.Dir(name), 0o755) }
