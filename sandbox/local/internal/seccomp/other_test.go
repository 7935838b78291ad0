//go:build !linux || !(amd64 || arm64)

package seccomp_test

import (
	"errors"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/seccomp"
)

func TestAvailable(t *testing.T) {
	if err := seccomp.Available(); !errors.Is(err, seccomp.ErrUnavailable) {
		t.Errorf("Available() = %v, want ErrUnavailable", err)
	}
}
