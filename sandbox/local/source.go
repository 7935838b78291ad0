package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// errSource hides why a file or directory of the host cannot be copied.
var errSource = errors.New("local: must be there, and have no symbolic links and special files on the way or inside")

// sourceOf reads root:relative. The code is that of the error.
func (b *Backend) sourceOf(src string, code backend.Code) (dir, rel string, err error) {
	name, rel, ok := strings.Cut(src, ":")
	dir, known := b.options.Roots[name]
	rel = path.Clean(rel)
	if !ok || !known || path.IsAbs(rel) || isWindowsAbsolute(rel) || hasUp(rel) || strings.ContainsAny(rel, "\\\x00") {
		return "", "", refuse(code, "the source of a local entry must be root:relative, with one of the roots that this host has and a relative path")
	}
	return dir, rel, nil
}

// descend opens the directory that holds the last segment of rel, without following a link on the way below dir.
func descend(dir, rel string) (parent *os.Root, last string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, "", errSource
	}
	segs := strings.Split(rel, "/")
	for _, seg := range segs[:len(segs)-1] {
		next, err := enter(root, seg)
		_ = root.Close()
		if err != nil {
			return nil, "", err
		}
		root = next
	}
	return root, segs[len(segs)-1], nil
}

// enter opens a directory that is no link.
func enter(root *os.Root, name string) (*os.Root, error) {
	was, err := root.Lstat(name)
	if err != nil || !was.IsDir() {
		return nil, errSource
	}
	next, err := root.OpenRoot(name)
	if err != nil {
		return nil, errSource
	}
	if is, err := next.Stat("."); err != nil || !os.SameFile(was, is) {
		return nil, errors.Join(errSource, next.Close())
	}
	return next, nil
}

// openFile opens a regular file that is no link.
func openFile(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	was, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !was.Mode().IsRegular() {
		return nil, nil, errSource
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, nil, err
	}
	if is, err := f.Stat(); err != nil || !os.SameFile(was, is) {
		return nil, nil, errors.Join(errSource, f.Close())
	}
	return f, was, nil
}

// checkSources looks at everything of the host that would be copied.
func (s *box) checkSources(ctx context.Context, steps []step) error {
	for _, st := range steps {
		var err error
		switch e := st.entry; {
		case e.Type == sandbox.EntryLocalFile:
			err = s.withSource(e.Src, backend.LocalFileRead, st, func(parent *os.Root, name string) error {
				f, _, err := openFile(parent, name)
				if err == nil {
					err = f.Close()
				}
				return err
			})
		case e.Type == sandbox.EntryLocalDir && e.Src != "":
			err = s.withSource(e.Src, backend.LocalDirRead, st, func(parent *os.Root, name string) error {
				dir, err := enter(parent, name)
				if err != nil {
					return err
				}
				defer dir.Close()
				return walk(ctx, dir, false, func(string, fs.DirEntry) error { return nil })
			})
		case e.Type == sandbox.EntryGitRepo:
			_, err = s.backend.git()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// withSource calls f with the directory and the name of a source, and hides its error.
func (s *box) withSource(src string, code backend.Code, st step, f func(parent *os.Root, name string) error) error {
	dir, rel, err := s.backend.sourceOf(src, code)
	if err != nil {
		return err
	}
	parent, name, err := descend(dir, rel)
	if err == nil {
		defer parent.Close()
		err = f(parent, name)
	}
	if err != nil {
		return refuse(code, "the source of the entry "+show(st.path)+" must be there, and have no symbolic links and special files on the way or inside")
	}
	return nil
}

// walk goes through a directory with nothing but directories and regular files in it, and links where they are taken.
func walk(ctx context.Context, root *os.Root, links bool, f func(name string, d fs.DirEntry) error) error {
	w := walker{root: root, most: sandbox.Unlimited, visit: func(name string, d fs.DirEntry) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !d.IsDir() && !d.Type().IsRegular() && (!links || d.Type() != fs.ModeSymlink):
			return errSource
		case name == ".":
			return nil
		}
		return f(name, d)
	}}
	return w.walk()
}

// copyTree copies a directory into another of the workspace. An error of reading is passed to unread.
func copyTree(ctx context.Context, from *os.Root, to *workspace, at string, links bool, unread func(error) error) error {
	var written error // tells the errors of the two sides apart
	err := walk(ctx, from, links, func(name string, d fs.DirEntry) error {
		dest := path.Join(at, name)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			written = makeDir(to, dest, dirMode(info.Mode()))
		case d.Type() == fs.ModeSymlink:
			target, err := from.Readlink(name)
			if err != nil {
				return err
			}
			written = replaceLink(to, dest, target)
		default:
			f, info, err := openFile(from, name)
			if err != nil {
				return err
			}
			defer func() { _ = f.Close() }()
			written = replaceFile(to, dest, withContext{ctx, f}, plainMode(info.Mode()))
		}
		return written
	})
	switch {
	case written != nil:
		return written
	case err != nil && ctx.Err() == nil:
		return unread(err)
	}
	return err
}

func (s *box) putLocalFile(ctx context.Context, root *workspace, st step) error {
	var written error
	err := s.withSource(st.entry.Src, backend.LocalFileRead, st, func(parent *os.Root, name string) error {
		f, _, err := openFile(parent, name)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		written = replaceFile(root, st.path, withContext{ctx, f}, 0o600)
		return nil
	})
	return errors.Join(err, written)
}

func (s *box) putLocalDir(ctx context.Context, root *workspace, st step) error {
	var written error
	err := s.withSource(st.entry.Src, backend.LocalDirRead, st, func(parent *os.Root, name string) error {
		dir, err := enter(parent, name)
		if err != nil {
			return err
		}
		defer dir.Close()
		var unread error
		written = copyTree(ctx, dir, root, st.path, false, func(err error) error { unread = err; return nil })
		return unread
	})
	return errors.Join(written, err)
}

// plainMode is the mode of a file that comes from elsewhere: it can be read and written by its owner, and executed
// only if its owner could.
func plainMode(mode fs.FileMode) fs.FileMode {
	mode &= 0o755
	if mode&0o100 == 0 {
		mode &^= 0o111
	}
	return mode | 0o600
}

// dirMode is the mode of a directory that comes from elsewhere.
func dirMode(mode fs.FileMode) fs.FileMode { return mode&0o755 | 0o700 }
