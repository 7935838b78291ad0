package interceptor_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// TestMocksOfUnitTests: in a unit test of somebody's, a mock that answers every
// GetVersion does not lift a refusal, and mocks that panic when they are called for
// something else are not called for what passes.
func TestMocksOfUnitTests(t *testing.T) {
	for text, refused := range map[string]bool{"plain text": false, githubToken: true} {
		env := environment(t, options(t, "literals: enforce\n"))
		env.RegisterActivityWithOptions(func(context.Context, string) error { return nil }, named("Push"))
		const code = 2 // of the rule
		env.OnGetVersion(anything, workflow.Version(code), workflow.Version(code)).Return(workflow.DefaultVersion).Maybe()
		if !refused {
			env.OnUpsertSearchAttributes(map[string]any{"Own": "value"}).Return(nil).Maybe() //nolint:staticcheck // deprecated or not, users still mock it
			env.OnUpsertMemo(map[string]any{"Own": "value"}).Return(nil).Maybe()
		}
		err := run(t, env, pushAll(text))
		if refused {
			wantRules(t, err, "literal-credential")
		} else if err != nil {
			t.Errorf("%v", err)
		}
	}
}

// TestPreferredVersions: a provider of the user's may choose what a marker of the
// guard holds; the refusal stands.
func TestPreferredVersions(t *testing.T) {
	asked := false
	opts := options(t, "literals: enforce\n")
	env := environment(t, opts)
	env.SetWorkerOptions(worker.Options{
		Interceptors: []interceptor.WorkerInterceptor{newGuard(t, opts)},
		PreferredVersionProvider: func(worker.PreferredVersionProviderInput) *worker.VersionPreference {
			asked = true
			return &worker.VersionPreference{Version: workflow.DefaultVersion, ClampToSupportedRange: true}
		},
	})
	env.RegisterActivityWithOptions(func(context.Context, string) error { t.Error("it ran"); return nil }, named("Push"))
	wantRules(t, run(t, env, pushAll(githubToken)), "literal-credential")
	if !asked {
		t.Error("the provider was not asked")
	}
}
