//go:build linux || darwin

package local

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

var errLeftover = errors.New("local: a process of a sandbox is still there: end it and try again")

// endLeftovers ends the processes of all sandboxes that nobody follows any more.
func (b *Backend) endLeftovers() error {
	entries, err := os.ReadDir(b.dir)
	if err != nil {
		return errors.New("local: Dir could not be read")
	}
	for _, e := range entries {
		if isID(e.Name()) {
			b.letIn(e.Name())
			err = errors.Join(err, endRecorded(filepath.Join(b.dir, e.Name(), recordsName)))
		}
	}
	return errors.Join(err, endByHome(b.dir, isID))
}

// endLeftoversOf ends those of one sandbox.
func (b *Backend) endLeftoversOf(id string) error {
	b.letIn(id)
	err := endRecorded(filepath.Join(b.dir, id, recordsName))
	if !b.options.Launcher.inPlace() {
		return err // the kernel ends what a command of such a sandbox started, with its first process
	}
	return errors.Join(err, endByHome(b.dir, func(name string) bool { return name == id }))
}

// endRecorded ends the groups of the processes that are noted in a directory, if they are still the same processes.
func endRecorded(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil // nothing was noted
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, ok := recordedPID(e.Name())
		if !ok {
			continue
		}
		start, err := recorded(root, e.Name())
		if err != nil {
			return errLeftover
		}
		start, keeps := strings.CutSuffix(start, keepsMark)
		same := func() bool { now := startOf(pid); return now != "" && now == start }
		if keeps && until(func() bool { return !same() }) {
			start = "" // it has ended what it started, which nobody else can
		}
		if same() {
			killGroup(pid, same)
			if !until(func() bool { return !same() }) {
				return errLeftover
			}
		}
		endStarting(pid)
		_ = root.Remove(e.Name())
	}
	return nil
}

// recordedPID is the process that the name of a record says. It is not ok for what no record is named.
func recordedPID(name string) (pid int, ok bool) {
	pid, err := strconv.Atoi(name)
	return pid, err == nil && pid > 1 && strconv.Itoa(pid) == name
}

// maxRecord is more than a record has.
const maxRecord = 256

// recorded reads a record. It is empty for what a command put in the place of one.
func recorded(root *os.Root, name string) (string, error) {
	_ = root.Chmod(name, 0o600)
	f, _, err := openFile(root, name)
	switch {
	case errors.Is(err, errSource) || errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if len(data) > maxRecord {
		return "", err
	}
	return string(data), err
}

// until waits for something that processes of other parents do, which nobody is told of.
func until(done func() bool) bool {
	deadline := time.NewTimer(leftoverWait)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-deadline.C:
			return done()
		}
	}
	return true
}
