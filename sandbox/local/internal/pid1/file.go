//go:build linux

package pid1

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// mountTmpfs mounts a file system in memory.
func mountTmpfs(at string, flags uintptr, mode uint32, size int64) error {
	// A file takes a few inodes of the same memory: small files must not get around the size.
	options := fmt.Sprintf("mode=%o,size=%d,nr_inodes=%d", mode, size, max(size/4096, 1024))
	return unix.Mount("tmpfs", at, "tmpfs", flags, options)
}

// makeDirs makes directories below the current one.
func makeDirs(names ...string) error {
	for _, name := range names {
		if err := os.MkdirAll(name, 0o755); err != nil { //nolint:gosec // everyone may look
			return err
		}
	}
	return nil
}

// makeFile makes a file below the current directory.
func makeFile(name, content string) error {
	if err := makeDirs(path.Dir(name)); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // everyone may read it
	if err != nil {
		return err
	}
	_, err = strings.NewReader(content).WriteTo(f)
	return errors.Join(err, f.Close())
}
