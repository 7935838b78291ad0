package interceptor_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nexus-rpc/sdk-go/nexus"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// operate runs a Nexus operation of this worker's on behalf of a workflow, and
// returns what the caller gets.
func operate(t *testing.T, handler func(ctx context.Context, in note) (note, error), in note) (out note, err error) {
	t.Helper()
	op := nexus.NewSyncOperation("answer", func(ctx context.Context, in note, _ nexus.StartOperationOptions) (note, error) {
		return handler(ctx, in)
	})
	service := nexus.NewService("answers")
	service.MustRegister(op)
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	env := environment(t, opts)
	env.RegisterNexusService(service)
	if failed := run(t, env, func(ctx workflow.Context) error {
		err = workflow.NewNexusClient("endpoint", "answers").ExecuteOperation(ctx, op, in, workflow.NexusOperationOptions{}).Get(ctx, &out)
		return nil
	}); failed != nil {
		t.Fatal(failed)
	}
	return out, err
}

// TestNexusErrorsAreClean: of every kind that a handler returns.
func TestNexusErrorsAreClean(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
	}{
		{"plain", errors.New("no " + canary)},
		{"failed operation", nexus.NewOperationFailedErrorf("no %s", canary)},
		{"handler error", nexus.NewHandlerErrorf(nexus.HandlerErrorTypeBadRequest, "no %s", canary)},
		{"without a secret", nexus.NewOperationFailedErrorf("just no")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := operate(t, func(context.Context, note) (note, error) { return note{}, tc.err }, note{})
			if err == nil {
				t.Fatal("no error")
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if strings.Contains(e.Error(), canary) {
					t.Errorf("%T: %v", e, e)
				}
			}
		})
	}
}

// TestNexusHandlersGetNoSecrets: only activity attempts do.
func TestNexusHandlersGetNoSecrets(t *testing.T) {
	_, err := operate(t, func(ctx context.Context, in note) (note, error) {
		if in.Token.Resolved() {
			t.Error("the input was resolved")
		}
		if _, err := secrets.Get(ctx, secrets.EnvRef("DEPLOY_TOKEN")); !errors.Is(err, secrets.ErrNoScope) {
			t.Errorf("Get: %v", err)
		}
		return note{}, nil
	}, note{Token: secrets.Env("DEPLOY_TOKEN")})
	if err != nil {
		t.Error(err)
	}
}
