package bubblewrap

import (
	"os"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	local.Init()
	sandboxtest.Init()
	if dir := os.Getenv(workerDir); dir != "" {
		if err := worker(dir); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}
