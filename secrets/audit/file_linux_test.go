package audit_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// A full disk is an error at each record, and not a line that is lost quietly.
func TestFileSinkOnFullDisk(t *testing.T) {
	t.Parallel()
	s := open(t, "/dev/full")
	for range 3 {
		err := s.Write(t.Context(), full)
		failed(t, err, audit.ErrWrite)
		if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "/dev/full") {
			t.Errorf("Write: %v, want ENOSPC without the path", err)
		}
	}
}
