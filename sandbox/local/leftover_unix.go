//go:build linux || darwin

package local

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
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
	return errors.Join(
		endRecorded(filepath.Join(b.dir, id, recordsName)),
		endByHome(b.dir, func(name string) bool { return name == id }),
	)
}

// endRecorded ends the groups of the processes that are noted in a directory, if they are still the same processes.
func endRecorded(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // nothing was noted
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid <= 1 {
			continue
		}
		start, err := os.ReadFile(name) //nolint:gosec // written by record
		if err != nil {
			return errLeftover
		}
		same := func() bool { now := startOf(pid); return now != "" && now == string(start) }
		if same() {
			_ = syscall.Kill(-pid, syscall.SIGKILL)
			if !until(func() bool { return !same() }) {
				return errLeftover
			}
		}
		_ = os.Remove(name)
	}
	return nil
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
