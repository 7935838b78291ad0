package interceptor_test

import (
	"errors"
	"testing"

	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

func greeted(workflow.Context, note) (string, error) { return "greeted", nil }

// TestRefusedFuturesBehave: a refused child workflow or Nexus operation gives
// futures of the SDK's own, so that Get, GetChildWorkflowExecution, IsReady,
// Selector and Chain work on them.
func TestRefusedFuturesBehave(t *testing.T) {
	child := func(ctx workflow.Context, text string) workflow.ChildWorkflowFuture {
		return workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{}), "Greeted", note{Text: text})
	}
	operation := func(ctx workflow.Context, text string) workflow.NexusOperationFuture {
		return workflow.NewNexusClient("endpoint", "service").
			ExecuteOperation(ctx, noteOperation, note{Text: text}, workflow.NexusOperationOptions{})
	}
	activity := func(ctx workflow.Context, text string) workflow.Future {
		return workflow.ExecuteActivity(options60(ctx), "Note", note{Text: text})
	}
	for _, tc := range []struct {
		name string
		body func(ctx workflow.Context) error
	}{
		{"child Get", func(ctx workflow.Context) error { return child(ctx, githubToken).Get(ctx, nil) }},
		{"child execution", func(ctx workflow.Context) error {
			return child(ctx, githubToken).GetChildWorkflowExecution().Get(ctx, nil)
		}},
		{"child in a Selector", func(ctx workflow.Context) error { return selected(ctx, child(ctx, githubToken)) }},
		{"child execution in a Selector", func(ctx workflow.Context) error {
			return selected(ctx, child(ctx, githubToken).GetChildWorkflowExecution())
		}},
		{"child in a Chain", func(ctx workflow.Context) error { return chained(ctx, child(ctx, githubToken)) }},
		{"child signalled", func(ctx workflow.Context) error {
			return child(ctx, githubToken).SignalChildWorkflow(ctx, "greet", "hello").Get(ctx, nil)
		}},
		{"Nexus Get", func(ctx workflow.Context) error { return operation(ctx, githubToken).Get(ctx, nil) }},
		{"Nexus execution", func(ctx workflow.Context) error {
			return operation(ctx, githubToken).GetNexusOperationExecution().Get(ctx, nil)
		}},
		{"Nexus in a Selector", func(ctx workflow.Context) error { return selected(ctx, operation(ctx, githubToken)) }},
		{"Nexus in a Chain", func(ctx workflow.Context) error { return chained(ctx, operation(ctx, githubToken)) }},
		{"activity in a Selector", func(ctx workflow.Context) error { return selected(ctx, activity(ctx, githubToken)) }},
		{"activity in a Chain", func(ctx workflow.Context) error { return chained(ctx, activity(ctx, githubToken)) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, ""))
			env.RegisterWorkflowWithOptions(greeted, workflow.RegisterOptions{Name: "Greeted"})
			env.RegisterNexusService(noteService(t))
			var got error
			after := ""
			if err := run(t, env, func(ctx workflow.Context) error {
				got = tc.body(ctx)
				// The context of a refused call is not cancelled for the rest.
				return errors.Join(ctx.Err(), child(ctx, "hello").Get(ctx, &after))
			}); err != nil {
				t.Fatal(err)
			}
			wantRules(t, got, "literal-credential")
			if after != "greeted" {
				t.Errorf("a later child: %q", after)
			}
		})
	}
}

// TestRefusedCallsPassNothingOn: an interceptor inside the guard may take the
// refusal off the context, and must have nothing to send then.
func TestRefusedCallsPassNothingOn(t *testing.T) {
	for name, send := range map[string]func(ctx workflow.Context) error{
		"ExecuteChildWorkflow": func(ctx workflow.Context) error {
			ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
				WorkflowID: "id-" + githubToken, Memo: map[string]any{"k": githubToken}, StaticSummary: githubToken, StaticDetails: githubToken,
			})
			return workflow.ExecuteChildWorkflow(ctx, "Greeted", note{Text: githubToken}).Get(ctx, nil)
		},
		"ExecuteNexusOperation": func(ctx workflow.Context) error {
			return workflow.NewNexusClient("endpoint", "service").
				ExecuteOperation(ctx, noteOperation, note{Text: githubToken}, workflow.NexusOperationOptions{Summary: githubToken}).Get(ctx, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inner := &spy{}
			env := environment(t, options(t, ""), inner)
			env.RegisterNexusService(noteService(t))
			if err := run(t, env, send); !guard.IsRefused(err) {
				t.Fatalf("got %v", err)
			}
			calls := inner.calls("refused " + name)
			if len(calls) != 1 || holds(calls[0].args, githubToken) {
				t.Errorf("passed on: %v", calls)
			}
		})
	}
}

func selected(ctx workflow.Context, f workflow.Future) (err error) {
	workflow.NewSelector(ctx).AddFuture(f, func(f workflow.Future) { err = f.Get(ctx, nil) }).Select(ctx)
	return err
}

func chained(ctx workflow.Context, f workflow.Future) error {
	next, set := workflow.NewFuture(ctx)
	set.Chain(f)
	return next.Get(ctx, nil)
}

// TestRefusedFutureIsReadyAtOnce: nothing is waited for.
func TestRefusedFutureIsReadyAtOnce(t *testing.T) {
	env := environment(t, options(t, ""))
	if err := run(t, env, func(ctx workflow.Context) error {
		f := workflow.ExecuteActivity(options60(ctx), "Note", githubToken)
		if !f.IsReady() || !guard.IsRefused(f.Get(ctx, nil)) {
			return errors.New("not ready or not refused")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestChildrenAreGuardedToo: the guard of a child run judges what the child sends.
func TestChildrenAreGuardedToo(t *testing.T) {
	env := environment(t, options(t, ""))
	env.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(options60(ctx), "Note", githubToken).Get(ctx, nil)
	}, workflow.RegisterOptions{Name: "Sender"})
	var refused bool
	err := run(t, env, func(ctx workflow.Context) error {
		ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{})
		err := workflow.ExecuteChildWorkflow(ctx, "Sender").Get(ctx, nil)
		refused = guard.IsRefused(err)
		return err
	})
	wantRules(t, err, "literal-credential")
	if !refused {
		t.Error("IsRefused does not see through the error of a child workflow")
	}
}
