package main

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// refusals is step 4: four calls that policy does not allow.
func (d *demo) refusals(ctx context.Context) error {
	d.step(4, "Refused",
		"Four workflows ask for what policy does not allow; each is told before anything is scheduled.")
	token := newForgeToken()
	d.secrets = append(d.secrets, secret{name: "the literal of step 4", value: token})
	if err := d.provide(envDSN, "the secret that was not granted", newDSN()); err != nil {
		return err
	}
	list := attempts(token)
	stop, err := d.worker(d.guarded, "agents", func(r worker.Registry) {
		for _, a := range list {
			a.register(r)
		}
		// What would run if something were scheduled.
		r.RegisterDynamicActivity(func(context.Context, converter.EncodedValues) error { return nil }, activity.DynamicRegisterOptions{})
	})
	if err != nil {
		return err
	}
	defer stop()
	for _, a := range list {
		if err := d.refuse(ctx, a); err != nil {
			return fmt.Errorf("%s: %w", a.title, err)
		}
	}
	d.done("%d refused, nothing scheduled", len(list))
	return nil
}

// refuse runs an attempt and shows the message with which it ends.
func (d *demo) refuse(ctx context.Context, a attempt) error {
	run, err := d.execute(ctx, d.guarded, "agents", harness.ID(a.workflow), a.workflow, nil, nil)
	if !guard.IsRefused(err) {
		return fmt.Errorf("it must be refused, and ended with %w", err)
	}
	found := guard.Violations(err)
	if len(found) != 1 || found[0].Rule != a.rule {
		return fmt.Errorf("it must be refused by %s alone, not by %v", a.rule, found)
	}
	if n := harness.Count(run.History)[enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED]; n != 0 {
		return fmt.Errorf("%d activities were scheduled", n)
	}
	d.refused = append(d.refused, run)
	d.say("%s:", a.title)
	d.quote(lastFailure(run.History))
	return nil
}

// lastFailure is the message of a failed run.
func lastFailure(h *historypb.History) string {
	events := h.GetEvents()
	return events[len(events)-1].GetWorkflowExecutionFailedEventAttributes().GetFailure().GetMessage()
}
