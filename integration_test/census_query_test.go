package integration_test

import (
	"context"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// holds waits in a session, with the texts of two rows in its hands.
func (c *census) holds(ctx workflow.Context, encoding string) error {
	p := c.planter(encoding)
	session, err := workflow.CreateSession(surveyed(ctx), &workflow.SessionOptions{CreationTimeout: programsPatience, ExecutionTimeout: programsPatience})
	if err != nil {
		return err
	}
	heldOn(session, p.text("stack trace"), map[string]any{"v": p.text("open sessions")})
	workflow.CompleteSession(session)
	return nil
}

// heldOn is a line of the stack that has texts for arguments.
//
//go:noinline
func heldOn(ctx workflow.Context, text string, more map[string]any) {
	workflow.GetSignalChannel(ctx, "end").Receive(ctx, nil)
	workflow.GetLogger(ctx).Debug("held on", "texts", len(text)+len(more))
}

// builtins asks what every worker answers by itself, past all interceptors.
func (p planter) builtins(ctx context.Context, t *testing.T, encoding string) {
	t.Helper()
	c, id := p.c.client, p.id("holds")
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: p.c.queue}, "Holds", encoding)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(query string, answer any) error {
		value, err := c.QueryWorkflow(ctx, id, "", query)
		if err != nil {
			return err
		}
		return value.Get(answer)
	}
	var stack string
	err = harness.Eventually(ctx, func() (bool, error) {
		err := ask(client.QueryTypeStackTrace, &stack)
		return strings.Contains(stack, "heldOn"), err
	})
	if err != nil {
		t.Errorf("%v; the stack is %q", err, stack)
	}
	var sessions []map[string]any
	if err := ask(client.QueryTypeOpenSessions, &sessions); err != nil || len(sessions) != 1 {
		t.Errorf("the open sessions are %v, %v", sessions, err)
	}
	if err := c.SignalWorkflow(ctx, id, "", "end", nil); err != nil {
		t.Error(err)
	}
	if err := run.Get(ctx, nil); err != nil {
		t.Errorf("the holding workflow ended with %v", err)
	}
}
