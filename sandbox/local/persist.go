package local

import (
	"archive/tar"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Persist writes the workspace as a tar archive that Hydrate takes. What no archive may have is left out without an
// error: sockets, named pipes and devices; names with a backslash, with all that is below; and symbolic links that are
// absolute, lead out of the workspace or go up after another link. So the link of a Python venv to the interpreter of
// the host is not in it: make the venv again, or with --copies.
//
// It keeps to Options.Archives as Hydrate does, so that one takes what the other made and no command has the host go through
// a workspace without end: what is left out counts as a member, too, but not what is in it.
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
	limits := s.backend.options.Archives
	to := &tellingWriter{w: w, most: limits.MaxInputBytes}
	a := archive{root: root.Root, out: tar.NewWriter(to), without: ephemeral(steps), most: limits.MaxExtractedBytes}
	err = a.walk(ctx, limits.MaxMembers)
	if err == nil {
		err = a.out.Close()
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errTooMany):
		return tooMuch("holds more than an archive may here", "MaxMembers")
	case errors.Is(err, errTooDeep):
		return refuse(backend.ArchiveRead, "something in the workspace is in more than "+strconv.Itoa(maxDepth)+" directories: move or remove it")
	case errors.Is(err, errTooLarge):
		return tooMuch("is larger than an archive may be here", "MaxExtractedBytes or MaxInputBytes")
	case to.err != nil:
		return &writeError{what: "the archive", err: to.err}
	}
	return failed(backend.ArchiveRead, "the workspace could not be read to its end: look whether a command changes it, and at its modes")
}

var errTooLarge = errors.New("local: there is more in the workspace than an archive may have")

// tooMuch says what is over the limits of archives.
func tooMuch(what, option string) error {
	return refuse(backend.ArchiveRead, "the workspace "+what+": remove what is not needed, make entries ephemeral, or have the worker raise Options.Archives."+option)
}

// archive writes a directory into a tar archive.
type archive struct {
	root    *os.Root
	out     *tar.Writer
	without []step
	most    sandbox.Limit // of the sizes of all files
	size    int64
	count   func(int) error
}

func (a *archive) walk(ctx context.Context, most sandbox.Limit) error {
	w := walker{root: a.root, most: most, visit: func(name string, d fs.DirEntry) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case a.leavesOut(name) && d.IsDir():
			return fs.SkipDir
		case a.leavesOut(name):
			return nil
		}
		err := a.add(ctx, name, d)
		if errors.Is(err, fs.ErrNotExist) && name != "." {
			return fs.SkipDir // it went away meanwhile
		}
		return err
	}}
	a.count = w.count
	return w.walk()
}

func (a *archive) leavesOut(name string) bool {
	return isPart(name) || name == backend.SpoolDir || strings.Contains(name, `\`) || slices.ContainsFunc(a.without, func(s step) bool {
		return name == s.path || strings.HasPrefix(name, s.path+"/")
	})
}

func (a *archive) add(ctx context.Context, name string, d fs.DirEntry) error {
	h := &tar.Header{Name: "./" + name}
	switch {
	case d.IsDir():
		info, err := a.root.Lstat(name)
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
		var tooMany error // as a member is, a look at a part of a target is paid for: there may be thousands
		through := func(at string) bool {
			tooMany = cmp.Or(tooMany, a.count(1))
			return tooMany != nil || isLink(a.root, at)
		}
		switch {
		case linksOut(name, target), linksUpThrough(name, target, through), tooMany != nil:
			return tooMany
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
		if a.size += info.Size(); a.size < 0 || over(a.size, a.most) {
			return errTooLarge
		}
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

// tellingWriter remembers the error of a writer of the caller, and writes no more than an archive may have.
type tellingWriter struct {
	w       io.Writer
	most    sandbox.Limit
	written int64
	err     error
}

func (t *tellingWriter) Write(data []byte) (int, error) {
	if t.written += int64(len(data)); over(t.written, t.most) {
		return 0, errTooLarge
	}
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
