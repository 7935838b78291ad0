package cgroup

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// host is the file system of control groups as the kernel shows it. Tests put another in its place.
type host interface {
	Read(path string) (string, error)
	Write(path, text string) error
	Mkdir(path string) error
	Rmdir(path string) error
	// List has the names of the directories below one.
	List(path string) ([]string, error)
	// Writable reports whether a file could be opened for writing, and writes nothing.
	Writable(path string) bool
	// Delegated reports whether the host's manager gave a group away, and so will not touch what is below it.
	Delegated(path string) bool
}

type kernel struct{}

func (kernel) Read(path string) (string, error) {
	data, err := os.ReadFile(path) //nolint:gosec // a file of the kernel below a group that was found
	return string(data), err
}

// Write writes at once, as the kernel demands, and never makes a file.
func (kernel) Write(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0) //nolint:gosec // as above
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func (kernel) Mkdir(path string) error { return unix.Mkdir(path, 0o755) }
func (kernel) Rmdir(path string) error { return unix.Rmdir(path) }

func (kernel) List(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// Delegated reads what systemd writes on groups with Delegate=yes.
func (kernel) Delegated(path string) bool {
	var value [2]byte
	for _, name := range []string{"user.delegate", "trusted.delegate"} {
		if n, err := unix.Getxattr(path, name, value[:]); err == nil && string(value[:n]) == "1" {
			return true
		}
	}
	return false
}

// cause is what may be shown of an error of the host: the kernel's own word, without the path.
func cause(err error) string {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number.Error()
	}
	return "unreadable"
}

func (kernel) Writable(path string) bool {
	f, err := os.OpenFile(path, os.O_WRONLY, 0) //nolint:gosec // as above
	return err == nil && f.Close() == nil
}
