//go:build linux || darwin

package local

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// private refuses a directory that others than the worker's account could use.
func private(info fs.FileInfo) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0 {
		return errors.New("local: Dir must belong to the worker's account and have mode 0700")
	}
	return nil
}

// lock keeps a file locked until unlock or the end of the process. The file is never removed: who waits for it holds
// the same one.
func lock(name string) (unlock func() error, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600) //nolint:gosec // in the directory that the options name
	if err != nil {
		return nil, errors.New("local: the lock of Dir could not be opened")
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(errors.New("local: Dir is in use: give each backend a directory of its own"), f.Close())
	}
	return f.Close, nil
}

// ownerOf is the account that something belongs to, or -1.
func ownerOf(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
