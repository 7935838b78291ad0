//go:build !linux

package seccomp

import "fmt"

// Available returns an error that wraps [ErrUnavailable]: only Linux has filters.
func Available() error {
	return fmt.Errorf("%w: run this worker on Linux, or choose a launcher that needs no filter", ErrUnavailable)
}
