package tools

import (
	"os"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

func TestMain(m *testing.M) {
	local.Init()
	os.Exit(m.Run())
}
