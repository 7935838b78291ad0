package local

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// remove removes a sandbox. Its directory gets another name first, so that the sandbox cannot be used any more, but is
// still listed; that needs no space, and no rights in the directory itself. What a former call left is removed, too.
func (b *Backend) remove(ctx context.Context, s *box) error {
	b.mu.Lock()
	stale := b.boxes[s.id] != s // what has the id now is another sandbox
	b.mu.Unlock()
	if stale {
		return nil
	}
	root, err := b.openDir()
	if err != nil {
		return err
	}
	defer root.Close()
	gone := gonePrefix + s.id
	if err := removeTree(ctx, root, gone); err != nil {
		return err
	}
	if err := root.Rename(s.id, gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := removeTree(ctx, root, gone); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.boxes, s.id)
	return nil
}

// openDir opens the backend's directory, also if a command closed it.
func (b *Backend) openDir() (*os.Root, error) {
	_ = os.Chmod(b.dir, b.options.dirMode())
	return os.OpenRoot(b.dir)
}

// letIn opens the directories of a sandbox that its processes are looked for in: commands may have closed them.
func (b *Backend) letIn(id string) {
	root, err := b.openDir()
	if err != nil {
		return
	}
	defer root.Close()
	for _, dir := range []struct {
		name string
		mode fs.FileMode
	}{{id, b.options.dirMode()}, {filepath.Join(id, recordsName), 0o700}} {
		if info, err := root.Lstat(dir.name); err == nil && info.IsDir() {
			_ = root.Chmod(dir.name, dir.mode)
		}
	}
}

// tree is a directory that is removed. Directories inside are moved up to its top before they are looked into, so that
// however deep they are, few are open at a time and each is moved once.
type tree struct {
	top  *os.Root
	last int // the number that the last directory got as its name
}

// removeTree removes what has that name in a directory, until the context ends. What is left then can be removed by
// another call.
func removeTree(ctx context.Context, parent *os.Root, name string) error {
	info, err := parent.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return parent.Remove(name)
	}
	top, err := enterClosed(parent, name)
	if err != nil {
		return err
	}
	defer top.Close()
	t := &tree{top: top}
	if err := empty(ctx, top, func(dir string) error { return t.remove(ctx, dir) }); err != nil {
		return err
	}
	return parent.Remove(name)
}

// remove removes a directory at the top, and moves those in it there.
func (t *tree) remove(ctx context.Context, name string) error {
	dir, err := enterClosed(t.top, name)
	if err != nil {
		return err
	}
	defer dir.Close()
	err = empty(ctx, dir, func(sub string) error {
		// A directory that is closed to its owner cannot be moved, since its way up changes.
		if err := dir.Chmod(sub, 0o700); err != nil {
			return err
		}
		return t.top.Rename(filepath.Join(name, sub), t.free())
	})
	if err != nil {
		return err
	}
	return t.top.Remove(name)
}

// free returns a name that nothing at the top has.
func (t *tree) free() string {
	for {
		t.last++
		name := strconv.Itoa(t.last)
		if _, err := t.top.Lstat(name); err != nil {
			return name
		}
	}
}

// empty removes what is in a directory, and calls remove for the directories in it.
func empty(ctx context.Context, dir *os.Root, remove func(name string) error) error {
	for {
		entries, err := some(dir)
		if err != nil || len(entries) == 0 {
			return err
		}
		for _, e := range entries {
			switch {
			case ctx.Err() != nil:
				return context.Cause(ctx)
			case e.IsDir():
				err = remove(e.Name())
			default:
				err = dir.Remove(e.Name())
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
}

// some returns entries of a directory, as many as are looked at before it is read again; none if it is empty.
func some(dir *os.Root) ([]fs.DirEntry, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return next(f)
}

// next returns the next entries of an open directory, none at its end.
func next(f *os.File) ([]fs.DirEntry, error) {
	entries, err := f.ReadDir(1024)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// enterClosed opens a directory that may let nobody in.
func enterClosed(parent *os.Root, name string) (*os.Root, error) {
	if err := parent.Chmod(name, 0o700); err != nil {
		return nil, err
	}
	return enter(parent, name)
}
