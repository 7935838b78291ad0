// Package seccomp narrows what a sandbox may ask of the kernel that it shares with its host: a filter denies the system
// calls that no tool of an agent needs and that have led out of sandboxes before.
//
//	filter, err := seccomp.Filter(seccomp.Options{})
//	// …
//	err = seccomp.Install(filter)
//
// # What is denied
//
// The table in table_linux.go says it, one line a system call. Most answer EPERM. Answers are ENOSYS where a program has
// an older way that the filter can look into (clone3), and for calls that are newer than the table, as on an older kernel.
// To change the limit of core dumps succeeds and changes nothing: see the table.
// Calls of another binary interface, 32-bit x86, x32 or 32-bit ARM, end the process: their numbers mean other calls.
// Debuggers and tracers do not work inside, nor do ping with raw sockets, mount tools and nested sandboxes.
//
// # What a filter is not
//
// It is one of several walls. A filter sees numbers and arguments, never memory, so it tells no path and no address of a
// socket from another: that is what the namespaces of the sandbox are for.
//
// # Platforms
//
// [Available] says on every platform whether filters work here. [Filter], [Options] and [Install] exist on Linux, and work
// on amd64 and arm64. None of them has a state but the process itself.
package seccomp

import "errors"

// ErrUnavailable is what every error wraps that says that this platform or kernel has no filters.
var ErrUnavailable = errors.New("seccomp: filters are not available")
