package sandboxtest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandboxtest.Init()
	goleak.VerifyTestMain(m)
}
