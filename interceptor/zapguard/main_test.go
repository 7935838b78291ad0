package zapguard_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when a test leaves a goroutine behind: the guard starts some of
// its own and must not outlive the worker that uses it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
