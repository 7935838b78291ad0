package bubblewrap

import (
	"os"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

func TestMain(m *testing.M) {
	local.Init()
	if dir := os.Getenv(workerDir); dir != "" {
		if err := worker(dir); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}
