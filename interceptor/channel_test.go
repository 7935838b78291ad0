package interceptor_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// githubToken has the form of a credential and is none.
const githubToken = "ghp_" + "x7Kq2Lm9Vb4Tn8Rz3Wc6Yd1Fh5Js0Pg2Ua4K"

// note is what the tests send: a typed field, a text and an untyped place.
type note struct {
	Text  string        `json:"text"`
	Token secrets.Value `json:"token"`
	Any   any           `json:"any,omitempty"`
}

// A way is one channel out of workflow code.
type way struct {
	name string
	// method is the outbound call that must not happen when it is refused.
	method string
	send   func(ctx workflow.Context, v any) error
	// path is where the argument stands in violations.
	path string
}

var stringKey = temporal.NewSearchAttributeKeyString("CustomStringField")

// ways lists every channel whose refusal removes a command.
func ways() []way {
	return []way{
		{name: "activity", method: "ExecuteActivity", path: "/0", send: func(ctx workflow.Context, v any) error {
			return workflow.ExecuteActivity(options60(ctx), "Note", v).Get(ctx, nil)
		}},
		{name: "local activity", method: "ExecuteLocalActivity", path: "/0", send: func(ctx workflow.Context, v any) error {
			ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 60e9})
			return workflow.ExecuteLocalActivity(ctx, "Note", v).Get(ctx, nil)
		}},
		{name: "child workflow", method: "ExecuteChildWorkflow", path: "/0", send: func(ctx workflow.Context, v any) error {
			return workflow.ExecuteChildWorkflow(ctx, "Child", v).Get(ctx, nil)
		}},
		{name: "child workflow memo", method: "ExecuteChildWorkflow", path: "/memo/k", send: func(ctx workflow.Context, v any) error {
			ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{Memo: map[string]any{"k": v}})
			return workflow.ExecuteChildWorkflow(ctx, "Child", note{}).Get(ctx, nil)
		}},
		{name: "continue-as-new", method: "NewContinueAsNewError", path: "/0", send: func(ctx workflow.Context, v any) error {
			return workflow.NewContinueAsNewError(ctx, "Child", v)
		}},
		{name: "signal external", method: "SignalExternalWorkflow", path: "/0", send: func(ctx workflow.Context, v any) error {
			return workflow.SignalExternalWorkflow(ctx, "other", "", "greet", v).Get(ctx, nil)
		}},
		{name: "signal child", method: "SignalChildWorkflow", path: "/0", send: func(ctx workflow.Context, v any) error {
			child := workflow.ExecuteChildWorkflow(ctx, "Waiting")
			err := child.SignalChildWorkflow(ctx, "greet", v).Get(ctx, nil)
			if err != nil {
				_ = child.SignalChildWorkflow(ctx, "greet", note{}).Get(ctx, nil)
			}
			_ = child.Get(ctx, nil)
			return err
		}},
		{name: "memo", method: "UpsertMemo", path: "/memo/k", send: func(ctx workflow.Context, v any) error {
			return workflow.UpsertMemo(ctx, map[string]any{"k": v})
		}},
		{name: "Nexus operation", method: "ExecuteNexusOperation", path: "/0", send: func(ctx workflow.Context, v any) error {
			c := workflow.NewNexusClient("endpoint", "service")
			return c.ExecuteOperation(ctx, noteOperation, asNote(v), workflow.NexusOperationOptions{}).Get(ctx, nil)
		}},
	}
}

// asNote is for Nexus, whose operations have one input type.
func asNote(v any) note {
	if n, ok := v.(note); ok {
		return n
	}
	return note{Any: v}
}

// runWay runs one channel in a workflow and returns what the sender got.
func runWay(t *testing.T, opts guard.Options, w way, v any) (*spy, error) {
	t.Helper()
	inner := &spy{}
	env := environment(t, opts, inner)
	env.RegisterActivityWithOptions(func(context.Context, note) error { return nil }, named("Note"))
	env.RegisterWorkflowWithOptions(func(workflow.Context, note) error { return nil }, workflow.RegisterOptions{Name: "Child"})
	env.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
		workflow.GetSignalChannel(ctx, "greet").Receive(ctx, nil)
		return nil
	}, workflow.RegisterOptions{Name: "Waiting"})
	env.OnSignalExternalWorkflow("default-test-namespace", "other", "", "greet", anything).Return(nil)
	env.RegisterNexusService(noteService(t))
	var got error
	if err := run(t, env, func(ctx workflow.Context) error {
		ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{})
		got = w.send(ctx, v)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return inner, got
}

func TestEveryChannelRefuses(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			for _, tc := range []struct {
				name, rule, at string
				in             note
			}{
				{"credential in a text", "literal-credential", "/text", note{Text: githubToken}},
				{"credential below an interface", "literal-credential", "/any/0/k", note{Any: []any{map[string]any{"k": "x " + githubToken}}}},
				{"value below an interface", "secret-untyped-place", "/any/k", note{Any: map[string]any{"k": secrets.Env("DEPLOY_TOKEN")}}},
			} {
				t.Run(tc.name, func(t *testing.T) {
					inner, err := runWay(t, options(t, "literals: enforce\n"), w, tc.in)
					wantRules(t, err, tc.rule)
					if got := guard.Violations(err)[0].Path; got != w.path+tc.at {
						t.Errorf("path %q, want %q", got, w.path+tc.at)
					}
					for _, c := range inner.calls(w.method) {
						if holds(c.args, githubToken) || holds(c.args, "DEPLOY_TOKEN") {
							t.Errorf("%s left: %v", c.method, c.name)
						}
					}
					if holds([]any{err.Error()}, githubToken) {
						t.Errorf("the refusal quotes the credential: %v", err)
					}
				})
			}
		})
	}
}

func TestEveryChannelLetsTheRestPass(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			in := note{Text: "hello", Any: map[string]any{"n": 1.5}}
			inner, err := runWay(t, options(t, "literals: enforce\n"), w, in)
			if err != nil && !workflow.IsContinueAsNewError(err) {
				t.Fatal(err)
			}
			if len(inner.calls(w.method)) == 0 {
				t.Errorf("%s did not leave", w.method)
			}
		})
	}
}

func TestReferencesMayTravelInTypedFields(t *testing.T) {
	in := note{Token: secrets.Env("DEPLOY_TOKEN")}
	for _, w := range ways() {
		if w.name == "activity" || w.name == "local activity" || w.path == "/memo/k" {
			continue // the first two need a grant, a memo has no types
		}
		t.Run(w.name, func(t *testing.T) {
			if _, err := runWay(t, options(t, ""), w, in); err != nil && !workflow.IsContinueAsNewError(err) {
				t.Error(err)
			}
		})
	}
}

func TestSearchAttributesAreJudged(t *testing.T) {
	type upsert func(ctx workflow.Context, v string) error
	for _, tc := range []struct {
		name   string
		upsert upsert
		method string
	}{
		{"untyped", func(ctx workflow.Context, v string) error {
			return workflow.UpsertSearchAttributes(ctx, map[string]any{"CustomStringField": v}) //nolint:staticcheck // the deprecated form is a channel too
		}, "UpsertSearchAttributes"},
		{"typed", func(ctx workflow.Context, v string) error {
			return workflow.UpsertTypedSearchAttributes(ctx, stringKey.ValueSet(v))
		}, "UpsertTypedSearchAttributes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inner := &spy{}
			env := environment(t, options(t, ""), inner)
			var refused, passed error
			if err := run(t, env, func(ctx workflow.Context) error {
				refused, passed = tc.upsert(ctx, githubToken), tc.upsert(ctx, "blue")
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			wantRules(t, refused, "literal-credential")
			if passed != nil || len(inner.calls(tc.method)) != 1 {
				t.Errorf("the second: %v, sent %d times", passed, len(inner.calls(tc.method)))
			}
			if got := guard.Violations(refused)[0].Path; got != "/search_attributes/CustomStringField" {
				t.Errorf("path %q", got)
			}
		})
	}
}

// TestTextsBesideTheArguments covers what travels in options.
func TestTextsBesideTheArguments(t *testing.T) {
	for _, tc := range []struct {
		name, path string
		send       func(ctx workflow.Context) error
	}{
		{"activity summary", "/summary", func(ctx workflow.Context) error {
			ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 60e9, Summary: "with " + githubToken})
			return workflow.ExecuteActivity(ctx, "Note", note{}).Get(ctx, nil)
		}},
		{"activity id", "/activity_id", func(ctx workflow.Context) error {
			ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 60e9, ActivityID: githubToken})
			return workflow.ExecuteActivity(ctx, "Note", note{}).Get(ctx, nil)
		}},
		{"local activity summary", "/summary", func(ctx workflow.Context) error {
			ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 60e9, Summary: githubToken})
			return workflow.ExecuteLocalActivity(ctx, "Note", note{}).Get(ctx, nil)
		}},
		{"child id", "/workflow_id", func(ctx workflow.Context) error {
			ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{WorkflowID: githubToken})
			return workflow.ExecuteChildWorkflow(ctx, "Child", note{}).Get(ctx, nil)
		}},
		{"child summary", "/summary", func(ctx workflow.Context) error {
			ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{StaticSummary: githubToken})
			return workflow.ExecuteChildWorkflow(ctx, "Child", note{}).Get(ctx, nil)
		}},
		{"child details", "/details", func(ctx workflow.Context) error {
			ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{StaticDetails: githubToken})
			return workflow.ExecuteChildWorkflow(ctx, "Child", note{}).Get(ctx, nil)
		}},
		{"child search attribute", "/search_attributes/CustomStringField", func(ctx workflow.Context) error {
			ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
				TypedSearchAttributes: temporal.NewSearchAttributes(stringKey.ValueSet(githubToken)),
			})
			return workflow.ExecuteChildWorkflow(ctx, "Child", note{}).Get(ctx, nil)
		}},
		{"Nexus summary", "/summary", func(ctx workflow.Context) error {
			return workflow.NewNexusClient("endpoint", "service").
				ExecuteOperation(ctx, noteOperation, note{}, workflow.NexusOperationOptions{Summary: githubToken}).Get(ctx, nil)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := runWay(t, options(t, ""), way{send: func(ctx workflow.Context, _ any) error { return tc.send(ctx) }}, nil)
			wantRules(t, err, "literal-credential")
			if diff := cmp.Diff(tc.path, guard.Violations(err)[0].Path); diff != "" {
				t.Errorf("path (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEachCallIsJudgedByItself: refusals do not stick, and ordinals do not mix.
func TestEachCallIsJudgedByItself(t *testing.T) {
	env := environment(t, options(t, ""))
	env.RegisterActivityWithOptions(func(context.Context, note) error { return nil }, named("Note"))
	var outcomes []bool
	if err := run(t, env, func(ctx workflow.Context) error {
		for _, text := range []string{"a", githubToken, "b", githubToken, githubToken, "c"} {
			err := workflow.ExecuteActivity(options60(ctx), "Note", note{Text: text}).Get(ctx, nil)
			outcomes = append(outcomes, guard.IsRefused(err))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]bool{false, true, false, true, true, false}, outcomes); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

func TestStartInputsOfTheTestsOwnClientPass(t *testing.T) {
	// A reference in the input of a workflow is what the guard is for.
	env := environment(t, options(t, grantTyped))
	var revealed string
	env.RegisterActivityWithOptions(func(_ context.Context, in typedInput) (err error) {
		revealed, err = in.Token.Reveal()
		return err
	}, named("Push"))
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{TaskQueue: testQueue})
	err := run(t, env, func(ctx workflow.Context, in typedInput) error {
		return workflow.ExecuteActivity(options60(ctx), "Push", in).Get(ctx, nil)
	}, typedInput{Token: secrets.Env("DEPLOY_TOKEN")})
	if err != nil || revealed != canary {
		t.Errorf("revealed %q, %v", revealed, err)
	}
}
