package cgroup_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The test binary is its own helper: with this variable it plays the part that the variable names.
const part = "CGROUP_TEST_PART"

func TestMain(m *testing.M) {
	if play := parts[os.Getenv(part)]; play != nil {
		play()
		return
	}
	goleak.VerifyTestMain(m)
}
