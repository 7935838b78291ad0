package interceptor_test

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/nexus-rpc/sdk-go/nexus"
	"go.temporal.io/sdk/interceptor"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
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
	if err != nil || out.Text != "hello with "+nameless || holds([]any{out}, canary) || out.Token.Ref() != in.Token.Ref() {
		t.Errorf("got %+v, %v", out, err)
	}
	out, err = operate(t, func(_ context.Context, in note) (note, error) { return in, nil }, note{Text: "plain"})
	if err != nil || out.Text != "plain" {
		t.Errorf("got %+v, %v", out, err)
	}
}

// TestNexusTokensAreRefused: a token is an identifier, which nothing hides.
func TestNexusTokensAreRefused(t *testing.T) {
	for _, tc := range []struct {
		name, token string
		refused     bool
	}{
		{"plain", "run-1", false},
		{"value", "run-" + canary, true},
		{"value in base64", base64.StdEncoding.EncodeToString([]byte("run of " + canary)), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, "")
			opts.Hidden = knowing(t, canary)
			in := newGuard(t, opts).InterceptNexusOperation(t.Context(), &answering{token: tc.token})
			got, err := in.StartOperation(t.Context(), interceptor.NexusStartOperationInput{})
			if !tc.refused {
				if answer, ok := got.(*nexus.HandlerStartOperationResultAsync); err != nil || !ok || answer.OperationToken != tc.token {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			if got != nil || !guard.IsRefused(err) || !strings.Contains(err.Error(), "the operation has begun") || holdsText(err, canary) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}

// answering is a handler that answers with the token of an operation that goes on.
type answering struct {
	interceptor.NexusOperationInboundInterceptorBase
	token string
}

func (a *answering) StartOperation(context.Context, interceptor.NexusStartOperationInput) (nexus.HandlerStartOperationResult[any], error) {
	return &nexus.HandlerStartOperationResultAsync{OperationToken: a.token}, nil
}
