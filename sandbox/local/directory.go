package local

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The names within the directory of a sandbox.
const (
	workspaceName = "workspace"
	recordsName   = "run"
	filledName    = "filled"
)

// Directories with these prefixes are being made or removed. They are no sandboxes, and what a former process left
// of them is removed.
const (
	newPrefix  = ".new-"
	gonePrefix = ".gone-"
	lockName   = ".lock"
)

// claim makes dir if need be, checks that it is the caller's alone, and keeps other processes out of it until unlock.
func claim(dir string) (real string, unlock func() error, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return "", nil, errors.New("local: Dir does not exist and could not be made: make its parent, or the directory with mode 0700")
	}
	real, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return "", nil, errors.New("local: Dir could not be read")
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() {
		return "", nil, errors.New("local: Dir is not a directory")
	}
	if err := private(info); err != nil {
		return "", nil, err
	}
	unlock, err = lock(filepath.Join(real, lockName))
	return real, unlock, err
}

// makeDir makes the directory of a sandbox, all or nothing.
func (b *Backend) makeDir(id string) error {
	dir, err := os.MkdirTemp(b.dir, newPrefix)
	if err != nil {
		return err
	}
	err = errors.Join(os.Mkdir(filepath.Join(dir, workspaceName), 0o700), os.Mkdir(filepath.Join(dir, recordsName), 0o700))
	if err == nil {
		err = os.Rename(dir, filepath.Join(b.dir, id))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return nil
}

// remove removes a sandbox. Its directory gets another name first, so that the sandbox is gone at once.
func (b *Backend) remove(s *box) error {
	gone, err := os.MkdirTemp(b.dir, gonePrefix)
	if err != nil {
		return err
	}
	b.mu.Lock()
	err = os.Rename(s.dir(""), filepath.Join(gone, s.id))
	if (err == nil || errors.Is(err, os.ErrNotExist)) && b.boxes[s.id] == s {
		delete(b.boxes, s.id)
	}
	b.mu.Unlock()
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return errors.Join(err, os.Remove(gone))
	}
	return removeAll(gone)
}

// removeRemains removes what is no sandbox any more, or not yet.
func (b *Backend) removeRemains() error {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return errors.New("local: Dir could not be read")
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), newPrefix) || strings.HasPrefix(e.Name(), gonePrefix) {
			if removeAll(filepath.Join(b.dir, e.Name())) != nil {
				return errors.New("local: what is left of a removed sandbox could not be removed: look at the rights in Dir")
			}
		}
	}
	return nil
}

// removeAll removes a tree, also one with directories that let nobody write.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	open(root, ".")
	return os.RemoveAll(dir)
}

// open makes directories writable, as far as that works.
func open(root *os.Root, dir string) {
	_ = root.Chmod(dir, 0o700)
	entries, _ := fs.ReadDir(root.FS(), dir)
	for _, e := range entries {
		if e.IsDir() {
			open(root, filepath.Join(dir, e.Name()))
		}
	}
}
