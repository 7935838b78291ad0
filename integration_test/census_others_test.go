package integration_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// schedules plants in schedules.
func (p planter) schedules(ctx context.Context, t *testing.T) {
	t.Helper()
	schedules := p.c.client.ScheduleClient()
	create := func(name string, change func(*client.ScheduleOptions, *client.ScheduleWorkflowAction)) client.ScheduleHandle {
		action := &client.ScheduleWorkflowAction{ID: p.id("scheduled"), Workflow: "Sink", TaskQueue: idle}
		o := client.ScheduleOptions{ID: p.id("schedule"), Paused: true, Action: action}
		change(&o, action)
		handle, err := schedules.Create(ctx, o)
		if name == "" {
			if err != nil {
				t.Fatal(err)
			}
			return handle
		}
		p.tried(name, err)
		return handle
	}
	create("schedule args", func(_ *client.ScheduleOptions, a *client.ScheduleWorkflowAction) {
		a.Args = []any{p.text("schedule args")}
	})
	create("schedule args, payload", func(_ *client.ScheduleOptions, a *client.ScheduleWorkflowAction) {
		a.Args = []any{p.payload(t, "schedule args, payload")}
	})
	create("schedule memo", func(o *client.ScheduleOptions, _ *client.ScheduleWorkflowAction) {
		o.Memo = map[string]any{"note": p.text("schedule memo")}
	})
	create("schedule search attribute", func(o *client.ScheduleOptions, _ *client.ScheduleWorkflowAction) {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(stage.ValueSet(p.text("schedule search attribute")))
	})
	create("schedule action memo", func(_ *client.ScheduleOptions, a *client.ScheduleWorkflowAction) {
		a.Memo = map[string]any{"note": p.text("schedule action memo")}
	})
	create("schedule note", func(o *client.ScheduleOptions, _ *client.ScheduleWorkflowAction) { o.Note = p.text("schedule note") })
	create("schedule id", func(o *client.ScheduleOptions, _ *client.ScheduleWorkflowAction) { o.ID = p.text("schedule id") })
	create("schedule workflow id", func(_ *client.ScheduleOptions, a *client.ScheduleWorkflowAction) {
		a.ID = p.text("schedule workflow id")
	})
	create("schedule summary", func(_ *client.ScheduleOptions, a *client.ScheduleWorkflowAction) {
		a.StaticSummary = p.text("schedule summary")
	})
	create("schedule workflow type", func(_ *client.ScheduleOptions, a *client.ScheduleWorkflowAction) {
		a.Workflow = p.text("schedule workflow type")
	})
	create("schedule search attribute key", func(o *client.ScheduleOptions, _ *client.ScheduleWorkflowAction) {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(unknown(p.text("schedule search attribute key")))
	})
	create("schedule fairness key", func(_ *client.ScheduleOptions, a *client.ScheduleWorkflowAction) {
		a.Priority.FairnessKey = p.text("schedule fairness key")
	})
	create("schedule retry policy", func(_ *client.ScheduleOptions, a *client.ScheduleWorkflowAction) {
		a.RetryPolicy = retryUnless(p.text("schedule retry policy"))
	})

	handle := create("", func(*client.ScheduleOptions, *client.ScheduleWorkflowAction) {})
	p.until(ctx, t, "schedule update", func() {
		p.tried("schedule update", handle.Update(ctx, client.ScheduleUpdateOptions{DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			changed := in.Description.Schedule
			changed.Action = &client.ScheduleWorkflowAction{ID: p.id("scheduled"), Workflow: "Sink", TaskQueue: idle, Args: []any{p.text("schedule update")}}
			return &client.ScheduleUpdate{Schedule: &changed}, nil
		}}))
	})
	p.tried("schedule pause note", handle.Pause(ctx, client.SchedulePauseOptions{Note: p.text("schedule pause note")}))
	p.tried("schedule unpause note", handle.Unpause(ctx, client.ScheduleUnpauseOptions{Note: p.text("schedule unpause note")}))
	// They have no text of their own, only whose they are.
	p.tried("schedule trigger", schedules.GetHandle(ctx, p.text("schedule trigger")).Trigger(ctx, client.ScheduleTriggerOptions{}))
	p.tried("schedule backfill", schedules.GetHandle(ctx, p.text("schedule backfill")).Backfill(ctx, client.ScheduleBackfillOptions{
		Backfill: []client.ScheduleBackfill{{Start: time.Unix(0, 0), End: time.Unix(1, 0)}},
	}))
	if err := handle.Delete(ctx); err != nil {
		t.Error(err)
	}
}

// standalones plants in activities without a workflow, and in Nexus operations of a
// client.
func (p planter) standalones(ctx context.Context, t *testing.T, encoding string) {
	t.Helper()
	c := p.c.client
	start := func(name, queue, activityType string, change func(*client.StartActivityOptions), args ...any) client.ActivityHandle {
		o := client.StartActivityOptions{ID: p.id("standalone"), TaskQueue: queue, StartToCloseTimeout: programsPatience, ScheduleToCloseTimeout: programsPatience}
		o.RetryPolicy = &temporal.RetryPolicy{MaximumAttempts: 1}
		if change != nil {
			change(&o)
		}
		handle, err := c.ExecuteActivity(ctx, o, activityType, args...)
		if name != "" {
			p.tried(name, err)
		} else if err != nil {
			t.Fatal(err)
		}
		return handle
	}
	start("standalone args", idle, "Take", nil, p.text("standalone args"))
	start("standalone id", idle, "Take", func(o *client.StartActivityOptions) { o.ID = p.text("standalone id") }, 1)
	start("standalone fairness key", idle, "Take", func(o *client.StartActivityOptions) {
		o.Priority.FairnessKey = p.text("standalone fairness key")
	}, 1)
	start("standalone retry policy", idle, "Take", func(o *client.StartActivityOptions) {
		o.RetryPolicy = retryUnless(p.text("standalone retry policy"))
	}, 1)
	start("standalone search attribute key", idle, "Take", func(o *client.StartActivityOptions) {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(unknown(p.text("standalone search attribute key")))
	}, 1)
	start("standalone summary", idle, "Take", func(o *client.StartActivityOptions) { o.Summary = p.text("standalone summary") }, 1)
	start("standalone details", idle, "Take", func(o *client.StartActivityOptions) { o.StaticDetails = p.text("standalone details") }, 1)
	p.tried("standalone cancel reason", start("", idle, "Take", nil, 1).Cancel(ctx, client.CancelActivityOptions{Reason: p.text("standalone cancel reason")}))
	p.tried("standalone terminate reason", start("", idle, "Take", nil, 1).Terminate(ctx, client.TerminateActivityOptions{Reason: p.text("standalone terminate reason")}))
	for _, name := range []string{"standalone result", "standalone error"} {
		p.tried(name, start("", p.c.queue, "Give", nil, encoding, name).Get(ctx, nil))
	}

	operations, err := c.NewNexusClient(client.NexusClientOptions{Endpoint: "census", Service: "service"})
	if err != nil {
		t.Fatal(err)
	}
	operate := func(name string, input any, o client.StartNexusOperationOptions) {
		if o.ID == "" {
			o.ID = p.id("operation")
		}
		_, err := operations.ExecuteOperation(ctx, "take", input, o)
		p.tried(name, err)
	}
	operate("client Nexus input", map[string]any{"v": p.text("client Nexus input")}, client.StartNexusOperationOptions{})
	operate("client Nexus summary", 1, client.StartNexusOperationOptions{Summary: p.text("client Nexus summary")})
	_, err = operations.ExecuteOperation(context.WithValue(ctx, labelKey{}, p.text("client Nexus header")), "take", 1, client.StartNexusOperationOptions{ID: p.id("operation")})
	p.tried("client Nexus header", err)
	operate("client Nexus id", 1, client.StartNexusOperationOptions{ID: p.text("client Nexus id")})
}

// completions plants in what a client tells of activities that others began.
func (p planter) completions(ctx context.Context, t *testing.T) {
	t.Helper()
	c, id := p.c.client, p.id("pending")
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: p.c.queue}, "Pending")
	if err != nil {
		t.Fatal(err)
	}
	err = harness.Eventually(ctx, func() (bool, error) {
		described, err := c.DescribeWorkflowExecution(ctx, id, "")
		if err != nil || len(described.GetPendingActivities()) < 3 {
			return false, err
		}
		for _, a := range described.GetPendingActivities() {
			if a.GetState() != enums.PENDING_ACTIVITY_STATE_STARTED {
				return false, nil
			}
		}
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	namespace := server.Namespace()
	p.tried("client heartbeat by id", c.RecordActivityHeartbeatByID(ctx, namespace, id, "", "by-id", p.text("client heartbeat by id")))
	token := func(activity string) []byte {
		stored, _ := p.c.tokens.Load(id + " " + activity)
		text, _ := stored.([]byte)
		return text
	}
	p.tried("client heartbeat", c.RecordActivityHeartbeat(ctx, token("result"), p.text("client heartbeat")))
	p.tried("completion result", c.CompleteActivity(ctx, token("result"), map[string]any{"v": p.text("completion result")}, nil))
	p.tried("completion error", c.CompleteActivity(ctx, token("error"), nil, errors.New(p.text("completion error"))))
	p.tried("completion by id", c.CompleteActivityByID(ctx, namespace, id, "", "by-id", p.text("completion by id"), nil))
	if err := run.Get(ctx, nil); err != nil {
		t.Error(err)
	}
}
