package sandboxhost

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// A caller is the workflow that an attempt belongs to, as the server told the worker.
type caller struct{ info activity.Info }

func callerOf(ctx context.Context) caller { return caller{activity.GetInfo(ctx)} }

// standalone is true for an activity without a workflow, which can own nothing: nobody could tell when it is done.
func (c caller) standalone() bool { return c.info.WorkflowExecution.ID == "" }

func (c caller) workflowID() string { return c.info.WorkflowExecution.ID }

func (c caller) run() string { return c.info.WorkflowExecution.RunID }

// session is the id of the session that this activity creates, the same in all its attempts.
func (c caller) session() string {
	return nameOf(c.info.Namespace, c.workflowID(), c.run(), c.info.ActivityID)
}

// name is that of the activity, the same in all its attempts.
func (c caller) name() string { return nameOf(c.run(), c.info.ActivityID) }

// interval is how often the attempt says that it is alive, so that a lost worker and a cancellation are noticed.
func (c caller) interval() time.Duration {
	const most = 10 * time.Second
	if t := c.info.HeartbeatTimeout; t > 0 {
		return max(min(most, t/3), time.Millisecond)
	}
	return most
}

// refuse leaves a record of what was refused, and returns the answer for an unknown session.
func (h *Host) refuse(ctx context.Context, c caller, session, why string) error {
	h.record(ctx, c, session, why)
	return notHere()
}

func (h *Host) record(ctx context.Context, c caller, session, why string) {
	r := audit.Record{
		Time: time.Now(), Action: audit.ActionDeny, Outcome: audit.OutcomeRefused,
		Namespace: c.info.Namespace, Queue: c.info.TaskQueue,
		WorkflowID: clean(ctx, c.workflowID()), RunID: c.run(),
		Activity: clean(ctx, c.info.ActivityType.Name), ActivityID: clean(ctx, c.info.ActivityID), Attempt: c.info.Attempt,
		Key: session, Detail: why,
	}
	if c.info.WorkflowType != nil {
		r.Workflow = clean(ctx, c.info.WorkflowType.Name)
	}
	h.trail.add(ctx, r)
}
