package local

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// newScratch makes the directory of a command for what is gone with it, where it has no /tmp of its own. It is next to the
// workspace, and of the same account.
func (s *box) newScratch(ctx context.Context) (dir string, remove func(), err error) {
	root, err := os.OpenRoot(s.dir(""))
	if err != nil {
		return "", nil, unopened(err)
	}
	name := filepath.Join(scratchName, rand.Text())
	if err := s.makeScratch(root, name); err != nil {
		_ = root.Close()
		return "", nil, failed(backend.ExecTransport, "the scratch directory of the command could not be made: look at the space and rights of the backend's directory")
	}
	return s.dir(name), func() {
		_ = removeTree(context.WithoutCancel(ctx), root, name) // what is left is removed with the sandbox
		_ = root.Close()
	}, nil
}

func (s *box) makeScratch(root *os.Root, name string) error {
	mode := s.backend.options.dirMode()
	err := root.MkdirAll(scratchName, mode)
	if err == nil {
		err = errors.Join(root.Chmod(scratchName, mode), root.Mkdir(name, 0o700))
	}
	if err == nil && s.account.other() {
		err = root.Lchown(name, s.account.uid, s.account.gid)
	}
	return err
}
