package local

import (
	"errors"
	"io/fs"
	"os"
)

// A workspace is the directory of a sandbox that its commands work in, seen from the host. What is made in it belongs to the sandbox's account.
type workspace struct {
	*os.Root
	account account
}

// OpenFile opens a file, or makes one.
func (t *workspace) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	f, err := t.Root.OpenFile(name, flag, mode)
	if err != nil || flag&os.O_EXCL == 0 || !t.account.other() {
		return f, err
	}
	if err := f.Chown(t.account.uid, t.account.gid); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Symlink makes a symbolic link.
func (t *workspace) Symlink(target, name string) error {
	if err := t.Root.Symlink(target, name); err != nil || !t.account.other() {
		return err
	}
	return t.Lchown(name, t.account.uid, t.account.gid)
}

// MkdirAll makes a directory and those on the way.
func (t *workspace) MkdirAll(name string, mode fs.FileMode) error {
	if !t.account.other() {
		return t.Root.MkdirAll(name, mode)
	}
	var fresh []string
	for i := 0; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		if part := name[:i]; part != "" {
			if _, err := t.Lstat(part); errors.Is(err, fs.ErrNotExist) {
				fresh = append(fresh, part)
			}
		}
	}
	if err := t.Root.MkdirAll(name, mode); err != nil {
		return err
	}
	for _, part := range fresh {
		if err := t.Lchown(part, t.account.uid, t.account.gid); err != nil {
			return err
		}
	}
	return nil
}

// OpenWorkspace opens a directory of the tree.
func (t *workspace) OpenWorkspace(name string) (*workspace, error) {
	root, err := t.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &workspace{Root: root, account: t.account}, nil
}
