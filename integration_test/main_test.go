package integration_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// server is the one embedded server of this package. Every test has a task
// queue of its own on it.
var server *harness.Server

// patience bounds a single test's conversation with the server.
const patience = 60 * time.Second

// The test binary is its own helper: with this variable it plays the part that the variable names.
const part = "SANDBOXGUARD_TEST_PART"

// parts are those that there are on this system.
var parts = map[string]func() int{}

func TestMain(m *testing.M) {
	local.Init()
	if play := parts[os.Getenv(part)]; play != nil {
		os.Exit(play())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := harness.Start(ctx, harness.Options{SearchAttributes: samples.SearchAttributes()})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer s.Stop()
	server = s
	return m.Run()
}

// limited returns the context of one test.
func limited(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}
