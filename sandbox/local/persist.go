package local

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Persist writes the workspace as a tar archive that Hydrate takes. What no archive may have is left out without an
// error: sockets, named pipes and devices; names with a backslash, with all that is below; and symbolic links that are
// absolute, lead out of the workspace or go up after another link. So the link of a Python venv to the interpreter of
// the host is not in it: make the venv again, or with --copies.
func (s *box) Persist(ctx context.Context, w io.Writer) error {
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
	steps, err := plan(s.manifest.Entries)
	if err != nil {
		return err
	}
	root, err := s.workspace()
	if err != nil {
		return refuse(backend.ArchiveRead, "the workspace is gone: create another sandbox")
	}
	defer root.Close()
	to := &tellingWriter{w: w}
	a := archive{root: root.Root, out: tar.NewWriter(to), without: ephemeral(steps)}
	err = a.walk(ctx)
	if err == nil {
		err = a.out.Close()
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case to.err != nil:
		return &writeError{what: "the archive", err: to.err}
	}
	return failed(backend.ArchiveRead, "the workspace could not be read to its end: look whether a command changes it, and at its modes")
}

// archive writes a directory into a tar archive.
type archive struct {
	root    *os.Root
	out     *tar.Writer
	without []step
}

func (a archive) walk(ctx context.Context) error {
	return fs.WalkDir(a.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if errors.Is(err, fs.ErrNotExist) && name != "." {
				return nil // it went away meanwhile
			}
			return err
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case a.leavesOut(name) && d.IsDir():
			return fs.SkipDir
		case a.leavesOut(name):
			return nil
		}
		return a.add(ctx, name, d)
	})
}

func (a archive) leavesOut(name string) bool {
	return isPart(name) || name == backend.SpoolDir || strings.Contains(name, `\`) || slices.ContainsFunc(a.without, func(s step) bool {
		return name == s.path || strings.HasPrefix(name, s.path+"/")
	})
}

func (a archive) add(ctx context.Context, name string, d fs.DirEntry) error {
	h := &tar.Header{Name: "./" + name}
	switch {
	case d.IsDir():
		info, err := d.Info()
		if err != nil {
			return err
		}
		if h.Name += "/"; name == "." {
			h.Name = "./"
		}
		h.Typeflag, h.Mode, h.ModTime = tar.TypeDir, int64(info.Mode().Perm()), info.ModTime()
		return a.out.WriteHeader(h)
	case d.Type() == fs.ModeSymlink:
		target, err := a.root.Readlink(name)
		if err != nil {
			return err
		}
		if linksOut(name, target) || linksUpThrough(name, target, func(at string) bool { return isLink(a.root, at) }) {
			return nil
		}
		h.Typeflag, h.Mode, h.Linkname = tar.TypeSymlink, 0o777, target
		return a.out.WriteHeader(h)
	case d.Type().IsRegular():
		f, info, err := openFile(a.root, name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		h.Typeflag, h.Mode, h.ModTime, h.Size = tar.TypeReg, int64(info.Mode().Perm()), info.ModTime(), info.Size()
		if err := a.out.WriteHeader(h); err != nil {
			return err
		}
		_, err = io.CopyN(a.out, withContext{ctx, f}, h.Size)
		return err
	}
	return nil
}

// withContext reads until the context ends.
type withContext struct {
	ctx context.Context
	r   io.Reader
}

func (c withContext) Read(data []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(data)
}

// tellingWriter remembers the error of a writer of the caller.
type tellingWriter struct {
	w   io.Writer
	err error
}

func (t *tellingWriter) Write(data []byte) (int, error) {
	n, err := t.w.Write(data)
	if err != nil {
		t.err = err
	}
	return n, err
}

// writeError wraps the error of a writer of the caller, who may know it.
type writeError struct {
	what string
	err  error
}

func (e *writeError) Error() string { return "local: " + e.what + " could not be written" }
func (e *writeError) Unwrap() error { return e.err }
