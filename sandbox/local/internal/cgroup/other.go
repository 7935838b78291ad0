//go:build !linux

package cgroup

import "fmt"

const elsewhere = "control groups are part of Linux: run the worker there"

// Tree is what this process can use, which is nothing here.
type Tree struct{}

// Group holds the processes of one command. There is none here.
type Group struct{}

// Find says that there is nothing.
func Find(Options) *Tree { return &Tree{} }

// Support says why there is nothing.
func (*Tree) Support() Support {
	none := Means{Reason: elsewhere}
	return Support{Memory: none, Processes: none, CPUs: none, Kill: none}
}

// New always fails with [ErrUnavailable].
func (*Tree) New(Limits) (*Group, error) { return nil, fmt.Errorf("%w: %s", ErrUnavailable, elsewhere) }

// RemoveStale has nothing to remove.
func (*Tree) RemoveStale() error { return nil }

// Close has nothing to remove.
func (*Tree) Close() error { return nil }

// FD reports that there is none.
func (*Group) FD() (int, bool) { return -1, false }

// Add always fails with [ErrUnavailable].
func (*Group) Add(int) error { return ErrUnavailable }

// Hits has nothing to report.
func (*Group) Hits() ([]Hit, error) { return nil, nil }

// Kill has nothing to end.
func (*Group) Kill() error { return nil }

// Empty reports that nothing is there.
func (*Group) Empty() (bool, error) { return true, nil }

// Remove has nothing to remove.
func (*Group) Remove() error { return nil }
