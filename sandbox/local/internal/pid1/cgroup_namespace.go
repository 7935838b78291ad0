//go:build linux

package pid1

import "golang.org/x/sys/unix"

// newCgroupNamespace hides the names of the host's control groups. It comes after the worker has put the process into
// its own, and is of this thread and what it starts.
func newCgroupNamespace(*state) error { return unix.Unshare(unix.CLONE_NEWCGROUP) }
