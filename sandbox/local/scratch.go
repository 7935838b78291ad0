package local

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// newScratch makes the directory of a command for what is gone with it, where it has no /tmp of its own. It is next to the
// workspace, and of the same account.
func (s *box) newScratch(ctx context.Context) (dir string, remove func(), err error) {
	all, err := s.scratches()
	if err != nil {
		return "", nil, unmade(err)
	}
	name := rand.Text()
	err = all.Mkdir(name, 0o700)
	if err == nil && s.account.other() {
		err = all.Lchown(name, s.account.uid, s.account.gid)
	}
	remove = func() {
		if all.Remove(name) != nil { // what is left is removed with the sandbox
			_ = removeTree(context.WithoutCancel(ctx), all, name)
		}
		_ = all.Close()
	}
	if err != nil {
		remove()
		return "", nil, unmade(err)
	}
	return s.dir(filepath.Join(scratchName, name)), remove, nil
}

// scratches opens the directory of those directories.
func (s *box) scratches() (*os.Root, error) {
	root, err := os.OpenRoot(s.dir(""))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	mode := s.backend.options.dirMode()
	if err := root.Mkdir(scratchName, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := root.Chmod(scratchName, mode); err != nil {
		return nil, err
	}
	return root.OpenRoot(scratchName)
}

func unmade(err error) error {
	if outOfDescriptors(err) {
		return errNoDescriptors
	}
	return failed(backend.ExecTransport, "the scratch directory of the command could not be made: look at the space and rights of the backend's directory")
}
