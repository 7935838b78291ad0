package sandboxclient_test

import (
	"testing"

	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// TestRefusals: what the guard refuses is still known as that, and as something that did not run unless it did.
func TestRefusals(t *testing.T) {
	for _, kind := range []string{
		guard.ErrorTypePolicyViolation, guard.ErrorTypeSecretNotGranted, guard.ErrorTypeSecretUnresolved, guard.ErrorTypeOutputWithheld,
	} {
		h := newHost()
		for _, op := range []operation.Name{operation.Start, operation.Exec, operation.Read, operation.Resume} {
			h.fails[op] = []error{answer(kind)}
		}
		h.fails[operation.Start] = []error{nil, answer(kind)}
		if err := within(t, h, func(ctx workflow.Context, box *sandboxclient.Sandbox) error {
			_, exec := box.Exec(ctx, sandboxclient.Command{Args: []string{"x"}})
			_, read := box.Read(ctx, "a")
			_, resume := client.Resume(ctx, box.State())
			for _, err := range []error{exec, read, resume, box.Start(ctx)} {
				if !guard.IsRefused(err) {
					t.Errorf("%s: not known as a refusal: %v", kind, err)
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if guard.ErrorTypeOutputWithheld != operation.OutputWithheld {
		t.Error("the guard and the hosts have two types for the same")
	}
}
