package secrets_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// panicCanary carries the canary to the process that panics with it.
const panicCanary = "SECRETS_TEST_PANIC_CANARY"

// TestPanicShowsReference looks at what the runtime prints of a panic that
// nobody recovers.
func TestPanicShowsReference(t *testing.T) {
	t.Parallel()
	canary := secretstest.Canary(t)
	for _, kind := range []string{"value", "pointer", "struct", "error", "string"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPanicHelper$")
			cmd.Env = append(os.Environ(), panicCanary+"="+canary, "SECRETS_TEST_PANIC_KIND="+kind)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || !strings.Contains(string(out), "panic: ") {
				t.Fatalf("the process did not panic: %v\n%s", err, out)
			}
			secretstest.AssertAbsent(t, []string{canary}, out)
		})
	}
}

// TestPanicHelper panics in the process that [TestPanicShowsReference] starts,
// and does nothing in this one.
func TestPanicHelper(t *testing.T) {
	canary := os.Getenv(panicCanary)
	if canary == "" {
		return
	}
	v := secretstest.Resolved(t, vaultRef, canary)
	go func() { // so that the runtime prints it, and not package testing
		switch os.Getenv("SECRETS_TEST_PANIC_KIND") {
		case "pointer":
			panic(&v)
		case "struct":
			panic(typedUnexported[secrets.Value]{"n", v})
		case "error":
			panic(fmt.Errorf("outer: %w", tokenError{v}))
		case "string":
			panic(fmt.Sprintf("token %+v", v))
		default:
			panic(v)
		}
	}()
	select {} // until the process ends
}
