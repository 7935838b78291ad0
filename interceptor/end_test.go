package interceptor_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
)

func TestWorkflowResults(t *testing.T) {
	for _, tc := range []struct {
		name, rule string
		result     any
	}{
		{"literal", "literal-credential", note{Text: githubToken}},
		{"untyped reference", "secret-untyped-place", map[string]any{"t": secrets.Env("DEPLOY_TOKEN")}},
		{"typed reference", "", note{Token: secrets.Env("DEPLOY_TOKEN")}},
		{"plain", "", "done"},
		{"nothing", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, ""))
			err := run(t, env, func(workflow.Context) (any, error) { return tc.result, nil })
			if tc.rule == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantRules(t, err, tc.rule)
		})
	}
}

// TestWorkflowErrorsAreCleaned: an end cannot be refused, so the credential in it
// is hidden.
func TestWorkflowErrorsAreCleaned(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
	}{
		{"plain", errors.New("push with " + githubToken)},
		{"wrapped", fmt.Errorf("outer: %w", errors.New("push with "+githubToken))},
		{"application", temporal.NewNonRetryableApplicationError("push with "+githubToken, "T", nil, githubToken)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, ""))
			err := run(t, env, func(workflow.Context) error { return tc.err })
			if err == nil || holdsText(err, githubToken) || !strings.Contains(err.Error(), "push with [redacted:literal]") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// holdsText looks at an error in every form that it is shown in, details included.
func holdsText(err error, text string) bool {
	for e := err; e != nil; e = errors.Unwrap(e) {
		if strings.Contains(fmt.Sprintf("%v %+v %#v", e, e, e), text) {
			return true
		}
		var details any
		var app *temporal.ApplicationError
		if errors.As(e, &app) && app.HasDetails() && app.Details(&details) == nil && holds([]any{details}, text) {
			return true
		}
	}
	return false
}

func TestQueries(t *testing.T) {
	for _, tc := range []struct {
		name, rule, hidden string
		answer             func() (any, error)
	}{
		{"literal", "literal-credential", "", func() (any, error) { return note{Text: githubToken}, nil }},
		{"plain", "", "", func() (any, error) { return "fine", nil }},
		{"error", "", "no [redacted:literal]", func() (any, error) { return nil, errors.New("no " + githubToken) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, ""))
			if err := run(t, env, func(ctx workflow.Context) error {
				return workflow.SetQueryHandler(ctx, "state", tc.answer)
			}); err != nil {
				t.Fatal(err)
			}
			answer, err := env.QueryWorkflow("state")
			switch {
			case tc.rule != "":
				wantRules(t, err, tc.rule)
				if !strings.Contains(err.Error(), "answer of query state withheld") {
					t.Errorf("message %v", err)
				}
			case tc.hidden != "":
				if err == nil || !strings.HasPrefix(err.Error(), tc.hidden) {
					t.Errorf("got %v, want %q", err, tc.hidden)
				}
			default:
				var text string
				if err != nil || answer.Get(&text) != nil || text != "fine" {
					t.Errorf("got %q, %v", text, err)
				}
			}
		})
	}
}

// outcome is what became of an update.
type outcome struct {
	accepted bool
	rejected error
	result   any
	err      error
}

func (o *outcome) callbacks() *testsuite.TestUpdateCallback {
	return &testsuite.TestUpdateCallback{
		OnAccept:   func() { o.accepted = true },
		OnReject:   func(err error) { o.rejected = err },
		OnComplete: func(result any, err error) { o.result, o.err = result, err },
	}
}

// update sends one update and returns what became of it, and whether its handler
// and its validator ran.
func update(t *testing.T, entry string, handler func(in note) (any, error), in note) (got outcome, ran, validated bool) {
	t.Helper()
	env := environment(t, options(t, entry))
	env.RegisterDelayedCallback(func() { env.UpdateWorkflow("change", "id", got.callbacks(), in) }, time.Second)
	if err := run(t, env, func(ctx workflow.Context) error {
		err := workflow.SetUpdateHandlerWithOptions(ctx, "change", func(_ workflow.Context, in note) (any, error) {
			ran = true
			return handler(in)
		}, workflow.UpdateHandlerOptions{Validator: func(note) error { validated = true; return nil }})
		return errors.Join(err, workflow.Sleep(ctx, time.Minute))
	}); err != nil {
		t.Fatal(err)
	}
	return got, ran, validated
}

func TestUpdatesAreValidatedBeforeTheyAreDurable(t *testing.T) {
	for _, tc := range []struct {
		name, entry, rule string
		in                note
	}{
		{"literal", "", "literal-credential", note{Text: githubToken}},
		{"below an interface", "", "literal-credential", note{Any: map[string]any{"k": githubToken}}},
		{"literals reported", "literals: report\n", "", note{Text: githubToken}},
		{"plain", "", "", note{Text: "hello"}},
		{"typed reference", "", "", note{Token: secrets.Env("DEPLOY_TOKEN")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ran, validated := update(t, tc.entry, func(note) (any, error) { return "done", nil }, tc.in)
			if tc.rule == "" {
				if !got.accepted || !ran || !validated || got.rejected != nil || got.err != nil {
					t.Errorf("got %+v", got)
				}
				return
			}
			if got.accepted || ran || validated {
				t.Error("the update was accepted")
			}
			wantRules(t, got.rejected, tc.rule)
		})
	}
}

func TestUpdateResults(t *testing.T) {
	for _, tc := range []struct {
		name, rule string
		answer     func(note) (any, error)
	}{
		{"literal", "literal-credential", func(note) (any, error) { return githubToken, nil }},
		{"error", "", func(note) (any, error) { return nil, errors.New("no " + githubToken) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ran, _ := update(t, "", tc.answer, note{})
			if !ran || got.err == nil || holdsText(got.err, githubToken) || got.result != nil {
				t.Fatalf("ran %v, got %+v", ran, got)
			}
			if tc.rule != "" {
				wantRules(t, got.err, tc.rule)
			} else if guard.IsRefused(got.err) {
				t.Errorf("an error is cleaned, not refused: %v", got.err)
			}
		})
	}
}
