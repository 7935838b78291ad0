// Package dirlock keeps a directory for one user at a time, on one machine: with a file in it that the system has
// locked until its holder lets go or its process ends. Locks on file systems that machines share are not relied on.
package dirlock

import (
	"errors"
	"os"
	"path/filepath"
)

// Name is that of the file. It is never removed: who waits for it holds the same one.
const Name = ".lock"

// ErrHeld is returned for a directory that somebody has, in this process or in another one.
var ErrHeld = errors.New("dirlock: the directory is in use")

// Take locks a directory and returns what gives it free, which may be called once. Commands that the process starts do
// not inherit the lock. The error is ErrHeld, or says why there can be no lock.
func Take(dir string) (release func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, Name), os.O_RDWR|os.O_CREATE|noFollow, 0o600) //nolint:gosec // the caller's own directory
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f.Close, nil
}
