//go:build unix

package local

import "syscall"

// nonBlocking keeps the opening of a named pipe from waiting for its other end.
const nonBlocking = syscall.O_NONBLOCK
