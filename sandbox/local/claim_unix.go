//go:build linux || darwin

package local

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// private refuses a directory that others than the worker's account could use in other ways than the mode says.
func private(info fs.FileInfo, mode fs.FileMode) error {
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) != os.Geteuid() || info.Mode().Perm()&0o077&^mode != 0 {
		return errors.New("local: Dir must belong to the worker's account and have mode 0700")
	}
	return nil
}

// ownerOf is the account that something belongs to, or -1.
func ownerOf(info fs.FileInfo) int {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(s.Uid)
	}
	return -1
}
