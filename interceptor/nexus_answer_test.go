package interceptor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nexus-rpc/sdk-go/nexus"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// TestNexusErrorsStayWhatTheyAre: whether an operation failed for good or is tried
// again depends on the type.
func TestNexusErrorsStayWhatTheyAre(t *testing.T) {
	_, err := operate(t, func(context.Context, note) (note, error) {
		return note{}, nexus.NewOperationFailedErrorf("no %s", canary)
	}, note{})
	_, want := operate(t, func(context.Context, note) (note, error) {
		return note{}, nexus.NewOperationFailedErrorf("no %s", "way")
	}, note{})
	var got, like *nexus.HandlerError
	if errors.As(err, &got) != errors.As(want, &like) {
		t.Errorf("with a secret %v\nwithout one %v", err, want)
	}
	_, err = operate(t, func(context.Context, note) (note, error) {
		return note{}, nexus.NewHandlerErrorf(nexus.HandlerErrorTypeBadRequest, "no %s", canary)
	}, note{})
	if !errors.As(err, &got) || got.Type != nexus.HandlerErrorTypeBadRequest {
		t.Errorf("got %v", err)
	}
}

// TestNexusAnswersAreClean: a handler's answer stands in the caller's history.
func TestNexusAnswersAreClean(t *testing.T) {
	in := note{Text: "hello", Token: secrets.Env("DEPLOY_TOKEN")}
	out, err := operate(t, func(_ context.Context, in note) (note, error) {
		in.Text += " with " + canary
		in.Any = map[string]any{"t": canary}
		return in, nil
	}, in)
	if err != nil || out.Text != "hello with "+hidden || holds([]any{out}, canary) || out.Token.Ref() != in.Token.Ref() {
		t.Errorf("got %+v, %v", out, err)
	}
	out, err = operate(t, func(_ context.Context, in note) (note, error) { return in, nil }, note{Text: "plain"})
	if err != nil || out.Text != "plain" {
		t.Errorf("got %+v, %v", out, err)
	}
}
