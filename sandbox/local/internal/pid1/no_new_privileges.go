//go:build linux

package pid1

import "golang.org/x/sys/unix"

// forbidPrivileges has no program bring rights, whoever it belongs to.
func forbidPrivileges(*state) error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) }
