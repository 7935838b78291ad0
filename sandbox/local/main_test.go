package local_test

import (
	"cmp"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// The test binary is its own helper: with this variable it plays the part that the variable names, and without it the one
// that it is called by.
const part = "SANDBOX_LOCAL_TEST_PART"

func TestMain(m *testing.M) {
	local.Init()
	sandboxtest.Init()
	if play := parts[cmp.Or(os.Getenv(part), os.Args[0])]; play != nil {
		play()
		return
	}
	goleak.VerifyTestMain(m)
}
