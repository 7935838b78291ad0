package interceptor_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// TestErrorsWithAnyDetailsPass: details that are nil, or as many as are read at
// once, are no reason to withhold an error without a secret.
func TestErrorsWithAnyDetailsPass(t *testing.T) {
	many := make([]any, 64)
	for i := range many {
		many[i] = "a"
	}
	for name, details := range map[string][]any{"nil": {"a", nil}, "64": many, "secret beside nil": {nil, "with " + canary}} {
		t.Run(name, func(t *testing.T) {
			_, err := attempt(t, options(t, bindReplace), func(context.Context, tagInput) error {
				return temporal.NewApplicationError("said", "Kind", details...)
			}, tagInput{})
			var app *temporal.ApplicationError
			if !errors.As(err, &app) || app.Type() != "Kind" || app.NonRetryable() || strings.Contains(fmt.Sprintf("%+v", err), canary) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestGetEndsWithTheAttempt: a context may outlive its attempt, in workflow code
// even.
func TestGetEndsWithTheAttempt(t *testing.T) {
	var kept context.Context
	if _, err := attempt(t, options(t, grantAsk), func(ctx context.Context, _ string) error {
		kept = context.WithoutCancel(ctx)
		return nil
	}, ""); err != nil {
		t.Fatal(err)
	}
	if v, err := secrets.Get(kept, secrets.EnvRef("DEPLOY_TOKEN")); !errors.Is(err, secrets.ErrNoScope) || v.Resolved() {
		t.Errorf("got %v, %v", v, err)
	}
}

// TestLocalActivityWritesIntoItsOwn: what an activity puts a value into is not the
// workflow's.
func TestLocalActivityWritesIntoItsOwn(t *testing.T) {
	type in struct {
		Token   string            `json:"token"`
		Headers map[string]string `json:"headers"`
		Out     *string           `json:"out"`
	}
	env := environment(t, options(t, bindReplace))
	env.RegisterActivityWithOptions(func(_ context.Context, in in) error {
		in.Headers["Authorization"], *in.Out = in.Token, in.Token
		if in.Token != canary {
			t.Errorf("got %q", in.Token)
		}
		return nil
	}, named("Push"))
	out := ""
	own := in{Headers: map[string]string{}, Out: &out}
	if err := run(t, env, func(ctx workflow.Context) error {
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 60e9})
		return workflow.ExecuteLocalActivity(ctx, "Push", own).Get(ctx, nil)
	}); err != nil {
		t.Fatal(err)
	}
	if len(own.Headers) != 0 || out != "" {
		t.Errorf("the workflow holds %v and %q", own.Headers, out)
	}
}

// TestNoEchoOfOrdinaryWords: a value that looks like a word is shown in no path,
// message or record.
func TestNoEchoOfOrdinaryWords(t *testing.T) {
	const words = "correct-horse-battery-staple"
	hidden := redact.NewSet()
	if err := hidden.Add("deploy", words); err != nil {
		t.Fatal(err)
	}
	opts := options(t, "")
	opts.Hidden = hidden
	s := &server{}
	c := clientOf(t, opts, s)
	start := func(o client.StartWorkflowOptions, args ...any) error {
		o.TaskQueue = testQueue
		_, err := c.ExecuteWorkflow(t.Context(), &interceptor.ClientExecuteWorkflowInput{WorkflowType: "Release", Options: &o, Args: args})
		return err
	}
	for name, err := range map[string]error{
		"map key":   start(client.StartWorkflowOptions{ID: "a"}, map[string]any{words: 1}),
		"memo key":  start(client.StartWorkflowOptions{ID: "a", Memo: map[string]any{words: 1}}),
		"id":        start(client.StartWorkflowOptions{ID: "a-" + words}),
		"signal to": c.SignalWorkflow(t.Context(), &interceptor.ClientSignalWorkflowInput{WorkflowID: "a-" + words, SignalName: "s"}),
		"signal":    c.SignalWorkflow(t.Context(), &interceptor.ClientSignalWorkflowInput{WorkflowID: "a", SignalName: words}),
	} {
		if err == nil || strings.Contains(fmt.Sprintf("%+v", err), words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if holds(s.got, words) {
		t.Error("the server got it")
	}
}

// TestStandaloneIsNoListedWorkflow: a list of workflow types leaves out an
// activity that belongs to none.
func TestStandaloneIsNoListedWorkflow(t *testing.T) {
	_, err := attempt(t, options(t, "workflows: [Allowed]\n"+bindReplace), func(context.Context, tagInput) error {
		t.Error("it ran")
		return nil
	}, tagInput{})
	wantRules(t, err, "workflow-unlisted")
}
