package sandboxclient

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/internal/operation"
)

// An activity is how one operation is carried out.
type activity struct {
	// queue is where it goes. Empty is the workflow's queue.
	queue string
	// once leaves it at one attempt.
	once bool
	// command is the timeout of the command that it runs, 0 if it runs none.
	command time.Duration
	// wait has its end awaited when it is cancelled.
	wait bool
}

// run carries an operation out.
func (c *Client) run(ctx workflow.Context, op operation.Name, a activity, args, result any) error {
	if base := c.options.Queue; a.queue != base {
		if base == "" {
			base = workflow.GetInfo(ctx).TaskQueueName
		}
		// A host's queue has no policy of its own, and its name tells nothing: the guard judges by the base queue.
		ctx = workflow.WithValue(ctx, bind.QueueKey{}, base)
	}
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, c.activityOptions(op, a)), op.Activity(c.provider), args).Get(ctx, result)
}

func (c *Client) activityOptions(op operation.Name, a activity) workflow.ActivityOptions {
	o := workflow.ActivityOptions{
		TaskQueue:              a.queue,
		ScheduleToStartTimeout: c.options.ScheduleToStartTimeout,
		StartToCloseTimeout:    c.options.StartToCloseTimeout + a.command,
		HeartbeatTimeout:       c.options.HeartbeatTimeout,
		WaitForCancellation:    a.wait,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second,
			MaximumInterval: 15 * time.Second,
			MaximumAttempts: c.options.Attempts,
		},
	}
	if a.once {
		o.RetryPolicy.MaximumAttempts = 1
	}
	if op.CleanUp() {
		o.ScheduleToCloseTimeout = c.options.CleanUpTimeout
		o.ScheduleToStartTimeout = min(o.ScheduleToStartTimeout, c.options.CleanUpTimeout/2)
	}
	return o
}
