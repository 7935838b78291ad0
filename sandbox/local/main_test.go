package local_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// The test binary is its own helper: with this variable it plays the part that the variable names.
const part = "SANDBOX_LOCAL_TEST_PART"

func TestMain(m *testing.M) {
	sandboxtest.Init()
	if play := parts[os.Getenv(part)]; play != nil {
		play()
		return
	}
	goleak.VerifyTestMain(m)
}
