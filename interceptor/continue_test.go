package interceptor_test

import (
	"errors"
	"fmt"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// rawContinue is a continue-as-new error that no hook has seen being made.
func rawContinue(tb testing.TB, vs ...any) *workflow.ContinueAsNewError {
	tb.Helper()
	input, err := converter.GetDefaultDataConverter().ToPayloads(vs...)
	if err != nil {
		tb.Fatal(err)
	}
	return &workflow.ContinueAsNewError{WorkflowType: &workflow.Type{Name: "Again"}, Input: input}
}

func TestContinueAsNew(t *testing.T) {
	for _, tc := range []struct {
		name    string
		end     func(ctx workflow.Context, v any) error
		literal string // what the literal's refusal must say
	}{
		{"made by the SDK", func(ctx workflow.Context, v any) error {
			return workflow.NewContinueAsNewError(ctx, "Again", v)
		}, "/0/text"},
		{"with options", func(ctx workflow.Context, v any) error {
			return workflow.NewContinueAsNewErrorWithOptions(ctx, workflow.ContinueAsNewErrorOptions{}, "Again", v)
		}, "/0/text"},
		{"raw", func(_ workflow.Context, v any) error { return rawContinue(t, v) }, "/0/text"},
		{"raw and wrapped", func(_ workflow.Context, v any) error { return fmt.Errorf("next: %w", rawContinue(t, v)) }, "/0/text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, c := range []struct {
				name, rule string
				in         note
			}{
				{"literal", "literal-credential", note{Text: githubToken}},
				{"plain", "", note{Text: "hello"}},
				{"typed reference", "", note{Token: secrets.Env("DEPLOY_TOKEN")}},
			} {
				t.Run(c.name, func(t *testing.T) {
					env := environment(t, options(t, ""))
					err := run(t, env, func(ctx workflow.Context) error { return tc.end(ctx, c.in) })
					var next *workflow.ContinueAsNewError
					continued := errors.As(err, &next)
					if c.rule == "" {
						if !continued || next.Input == nil {
							t.Fatalf("got %v, want a continue-as-new", err)
						}
						return
					}
					if continued {
						t.Fatal("the run continued with the credential")
					}
					wantRules(t, err, c.rule)
				})
			}
		})
	}
}

// TestContinueAsNewIsJudgedOnce: an error that was allowed when it was made is
// not judged again when the workflow returns it.
func TestContinueAsNewIsJudgedOnce(t *testing.T) {
	suite, g, metrics := measured(t, options(t, "literals: report\n"))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
	err := run(t, env, func(ctx workflow.Context) error {
		return workflow.NewContinueAsNewError(ctx, "Again", note{Text: githubToken})
	})
	if !workflow.IsContinueAsNewError(err) {
		t.Fatalf("report mode refused: %v", err)
	}
	if n := metrics.count("sandboxguard_refusals queue=" + testQueue + " rule=literal-credential mode=report"); n != 1 {
		t.Errorf("judged %d times", n)
	}
}

// TestRefusedContinueAsNewCanBeHandled: workflow code sees the refusal and may
// end in another way.
func TestRefusedContinueAsNewCanBeHandled(t *testing.T) {
	env := environment(t, options(t, ""))
	err := run(t, env, func(ctx workflow.Context) error {
		err := workflow.NewContinueAsNewError(ctx, "Again", githubToken)
		if !guard.IsRefused(err) {
			return fmt.Errorf("not refused: %w", err)
		}
		return workflow.NewContinueAsNewError(ctx, "Again", "clean")
	})
	var next *workflow.ContinueAsNewError
	if !errors.As(err, &next) {
		t.Fatalf("got %v", err)
	}
	var text string
	if converter.GetDefaultDataConverter().FromPayloads(next.Input, &text) != nil || text != "clean" {
		t.Errorf("continued with %q", text)
	}
}

// TestRawContinueAsNewHoldsNoUnreadablePayload: what cannot be read as JSON is
// looked at as text.
func TestRawContinueAsNewOfOtherEncodings(t *testing.T) {
	for _, tc := range []struct {
		name     string
		payload  *commonpb.Payload
		refused  bool
		encoding string
	}{
		{"plain text", &commonpb.Payload{Data: []byte("key " + githubToken)}, true, "binary/plain"},
		{"JSON", &commonpb.Payload{Data: []byte(`{"a":["` + githubToken + `"]}`)}, true, "json/plain"},
		{"ciphertext", &commonpb.Payload{Data: []byte{0xff, 0xfe, 0x00, 0x81}}, false, "binary/encrypted"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.payload.Metadata = map[string][]byte{converter.MetadataEncoding: []byte(tc.encoding)}
			next := rawContinue(t, "x")
			next.Input.Payloads = []*commonpb.Payload{tc.payload}
			env := environment(t, options(t, ""))
			err := run(t, env, func(workflow.Context) error { return next })
			if guard.IsRefused(err) != tc.refused {
				t.Errorf("got %v", err)
			}
		})
	}
}
