package local

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// partPrefix is that of files and links that take the place of another when they are whole. What a killed worker left
// of them is in no archive.
const partPrefix = ".sandboxguard-part-"

func isPart(name string) bool { return strings.HasPrefix(path.Base(name), partPrefix) }

// replace makes something beside name with put, and moves it in the place of the file or link of that name, never
// through a link. If it fails, what was there is as it was.
func replace(root *workspace, name string, put func(part string) error) error {
	dir, _ := path.Split(name) // not cleaned, since it may go up after a link
	part := dir + partPrefix + rand.Text()
	err := put(part)
	if err == nil {
		err = root.Rename(part, name)
	}
	if err != nil {
		_ = root.Remove(part)
	}
	return err
}

// replaceFile writes a file in place of the file or link of that name.
func replaceFile(root *workspace, name string, from io.Reader, mode fs.FileMode) error {
	return replace(root, name, func(part string) error {
		return errors.Join(makeFile(root, part, from, 0o600), root.Chmod(part, mode))
	})
}

// makeFile writes a file that is not there. The umask applies to its mode.
func makeFile(root *workspace, name string, from io.Reader, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return errors.Join(err, f.Close())
}

// replaceLink makes a symbolic link in place of the file or link of that name.
func replaceLink(root *workspace, name, target string) error {
	return replace(root, name, func(part string) error { return root.Symlink(target, part) })
}
