package interceptor_test

import (
	"errors"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// picky is a converter that workflow code chose for one call, and that encodes
// nothing.
type picky struct{ converter.DataConverter }

func (picky) ToPayload(any) (*commonpb.Payload, error) {
	return nil, errors.New("not of this converter")
}

func (picky) ToPayloads(...any) (*commonpb.Payloads, error) {
	return nil, errors.New("not of this converter")
}

// TestRefusalsNeedNoConverterOfTheCall: the record is encoded as the worker does.
func TestRefusalsNeedNoConverterOfTheCall(t *testing.T) {
	if err := run(t, environment(t, options(t, "")), func(ctx workflow.Context) error {
		ctx = workflow.WithDataConverter(options60(ctx), picky{converter.GetDefaultDataConverter()})
		wantRules(t, workflow.ExecuteActivity(ctx, "Note", githubToken).Get(ctx, nil), "literal-credential")
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestCleanedEndsKeepWhatTheyAre: an error that is recorded keeps its kind, its
// flags, its details and its chain.
func TestCleanedEndsKeepWhatTheyAre(t *testing.T) {
	env := environment(t, options(t, ""))
	err := run(t, env, func(workflow.Context) error {
		return temporal.NewApplicationErrorWithOptions("push with "+githubToken, "PushFailed", temporal.ApplicationErrorOptions{
			NonRetryable: true, NextRetryDelay: 7e9, Category: temporal.ApplicationErrorCategoryBenign,
			Details: []any{"plain", true}, Cause: temporal.NewCanceledError("because of " + githubToken),
		})
	})
	var app *temporal.ApplicationError
	var cancelled *temporal.CanceledError
	if !errors.As(err, &app) || !errors.As(err, &cancelled) || holdsText(err, githubToken) {
		t.Fatalf("got %v", err)
	}
	var text string
	var flag bool
	if err := app.Details(&text, &flag); err != nil || text != "plain" || !flag {
		t.Errorf("details %q, %v, %v", text, flag, err)
	}
	if app.Type() != "PushFailed" || !app.NonRetryable() || app.NextRetryDelay() != 7e9 || app.Category() != temporal.ApplicationErrorCategoryBenign {
		t.Errorf("got %+v", app)
	}
	if guard.IsRefused(err) {
		t.Error("a cleaned error counts as a refusal")
	}
	var detail string
	if err := cancelled.Details(&detail); err != nil || detail != "because of [redacted:literal]" {
		t.Errorf("details %q, %v", detail, err)
	}
}

// TestViolationsOfOddDetails: an error with a type of the guard's may be of
// somebody else's making.
func TestViolationsOfOddDetails(t *testing.T) {
	for _, details := range [][]any{{"text"}, {nil}, {7, 8}, {map[string]any{}}} {
		err := temporal.NewApplicationError("odd", guard.ErrorTypePolicyViolation, details...)
		if vs := guard.Violations(err); vs != nil {
			t.Errorf("%v: %v", details, vs)
		}
	}
}
