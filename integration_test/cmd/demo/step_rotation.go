package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// handover bounds how long a workflow task is lost that the server gave to the
// worker that is being stopped.
const handover = 2 * time.Second

// rotation is step 3: a run that began with a literal goes on with the rotated
// token. Workflow and activities stay as they are.
func (d *demo) rotation(ctx context.Context) error {
	d.step(3, "An old workflow",
		"A release began without the guard, a token in its input; the token is rotated while it waits.")
	const queue, id, version = "releases", "publish-release", "v1.4.0"
	old := d.api.issueRelease()
	started, err := d.tagged(ctx, queue, id, Release{Version: version, Token: old})
	if err != nil {
		return err
	}
	d.say("The worker without the guard is stopped; the workflow waits for its approval.")

	if err := d.provide(envRelease, "the rotated token of step 3", d.api.issueRelease()); err != nil {
		return err
	}
	d.revoked = secret{name: "the revoked token of step 3", value: old}
	d.say("The token is rotated. What the old one is worth now:")
	if err := d.releases().Announce(ctx, Release{Version: version, Token: old}); err == nil {
		return errors.New("the old token must be revoked")
	}
	d.say("A worker with the guard takes over. The code is unchanged; policy.yaml binds the field:")
	d.quote(excerpt("  releases:"))

	stop, err := d.releaseWorker(d.guarded, queue)
	if err != nil {
		return err
	}
	defer stop()
	if err := d.guarded.SignalWorkflow(ctx, id, "", signalApproved, nil); err != nil {
		return err
	}
	var result string
	if err := started.Get(ctx, &result); err != nil {
		return fmt.Errorf("the old workflow did not finish: %w", err)
	}
	stop()
	if d.release, err = d.fetch(ctx, id); err != nil {
		return err
	}
	failed := harness.CountSteady(d.release.History)[enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED.String()]
	if n := d.api.announcements(); n != 1 || failed != 0 {
		return fmt.Errorf("%d announcements with the new token, %d failed workflow tasks", n, failed)
	}
	d.say("The workflow returns: %s", result)
	d.done("a run that carries a dead token went on with the new one")
	return nil
}

// tagged starts the workflow without the guard and waits until its first
// activity is done and the worker is stopped.
func (d *demo) tagged(ctx context.Context, queue, id string, release Release) (client.WorkflowRun, error) {
	stop, err := d.releaseWorker(d.plain, queue)
	if err != nil {
		return nil, err
	}
	defer stop()
	started, err := d.plain.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: id, TaskQueue: queue,
		WorkflowTaskTimeout: handover,
	}, PublishRelease, release)
	if err != nil {
		return nil, err
	}
	// Waiting for the activity alone would stop the worker within the workflow
	// task that follows, which then times out.
	if _, err := harness.AwaitEvent(ctx, d.plain, id, "", waiting()); err != nil {
		return nil, err
	}
	return started, nil
}

// waiting accepts the end of the workflow task that follows the first activity.
func waiting() func(*historypb.HistoryEvent) bool {
	done := false
	return func(e *historypb.HistoryEvent) bool {
		done = done || e.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED
		return done && e.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED
	}
}

func (d *demo) releases() *Releases {
	return &Releases{url: d.api.url, called: func(path, status string) { d.say("POST %s: %s", path, status) }}
}

func (d *demo) releaseWorker(c client.Client, queue string) (stop func(), err error) {
	return d.worker(c, queue, func(r worker.Registry) {
		r.RegisterWorkflow(PublishRelease)
		r.RegisterActivity(d.releases())
	})
}
