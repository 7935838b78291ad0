package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/sandboxguard/sandboxguard/internal/dirlock"
)

// The names within the directory of a sandbox.
const (
	workspaceName = "workspace"
	recordsName   = "run"
	filledName    = "filled"
	gitName       = "git"
	scratchName   = "scratch"
)

// Directories with these prefixes are being made or removed. What a former process left of them is removed. After the
// second one is the id of the sandbox, which is listed until all of it is gone.
const (
	newPrefix  = ".new-"
	gonePrefix = ".gone-"
)

// claim makes dir if need be, checks that it is the caller's alone, and keeps other processes out of it until unlock. Others
// may have those rights to it that the mode has for them.
func claim(dir string, mode fs.FileMode) (real string, unlock func() error, err error) {
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
	if err := private(info, mode); err != nil {
		return "", nil, err
	}
	unlock, err = dirlock.Take(real)
	switch {
	case errors.Is(err, dirlock.ErrHeld):
		return "", nil, errors.New("local: Dir is in use: give each backend a directory of its own")
	case err != nil:
		return "", nil, errors.New("local: the lock of Dir could not be opened")
	}
	return real, unlock, nil
}

// makeDir makes the directory of a sandbox, all or nothing.
func (b *Backend) makeDir(id string) error {
	account, err := b.freeAccount()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp(b.dir, newPrefix)
	if err != nil {
		return err
	}
	workspace := filepath.Join(dir, workspaceName)
	err = errors.Join(os.Mkdir(workspace, 0o700), os.Mkdir(filepath.Join(dir, recordsName), 0o700))
	if err == nil && account.other() {
		err = errors.Join(os.Lchown(workspace, account.uid, account.gid), os.Chmod(dir, b.options.dirMode()))
	}
	if err == nil {
		err = os.Rename(dir, filepath.Join(b.dir, id))
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	return nil
}

// removeRemains removes what is no sandbox any more, or not yet.
func (b *Backend) removeRemains() error {
	root, err := os.OpenRoot(b.dir)
	if err != nil {
		return errors.New("local: Dir could not be read")
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return errors.New("local: Dir could not be read")
	}
	for _, e := range entries {
		name := e.Name()
		if isID(name) {
			name = filepath.Join(name, scratchName) // of commands that nobody follows any more
		}
		if name != e.Name() || strings.HasPrefix(name, newPrefix) || strings.HasPrefix(name, gonePrefix) {
			if removeTree(context.Background(), root, name) != nil {
				return errors.New("local: what is left of a removed sandbox could not be removed: look at the rights in Dir")
			}
		}
	}
	return nil
}
