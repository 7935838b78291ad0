package interceptor_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/converter"
)

// account is a type of the kind that the SDK encodes as another one.
type account struct{ token string }

type accountWire struct {
	Token string `json:"token"`
}

func (account) TransferTypeConverter() (converter.TransferTypeConverter, error) {
	return converter.NewTransferTypeConverter(
		func(a *account) (*accountWire, error) { return &accountWire{a.token}, nil },
		func(w *accountWire, a *account) error { a.token = w.Token; return nil })
}

// TestTransferTypes: what travels is looked at, not what stands in memory.
func TestTransferTypes(t *testing.T) {
	for name, in := range map[string]any{"value": account{githubToken}, "pointer": &account{githubToken}} {
		t.Run(name, func(t *testing.T) {
			env := environment(t, options(t, ""))
			env.RegisterActivityWithOptions(func(context.Context, account) error { t.Error("it ran"); return nil }, named("Push"))
			wantRules(t, run(t, env, pushWorkflow(in)), "literal-credential")
		})
	}
	t.Run("result", func(t *testing.T) {
		got, err := attempt(t, options(t, bindReplace), func(_ context.Context, in tagInput) (account, error) { return account{in.Token}, nil }, tagInput{})
		if err != nil {
			t.Fatal(err)
		}
		var out account
		if err := got.Get(&out); err != nil || out.token != hidden {
			t.Errorf("got %q, %v", out.token, err)
		}
	})
}
