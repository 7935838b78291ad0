package samples

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

type reminderReport struct {
	Slept     bool `json:"slept"`
	Escalated bool `json:"escalated"`
	Answered  bool `json:"answered"`
}

// reminder sleeps, lets work race against a timer that would escalate, and
// waits for an answer that does not come.
func reminder(ctx workflow.Context, task string) (reminderReport, error) {
	var report reminderReport
	begun := workflow.Now(ctx)
	if err := workflow.Sleep(ctx, 20*time.Millisecond); err != nil {
		return report, err
	}
	report.Slept = workflow.Now(ctx).Sub(begun) >= 20*time.Millisecond

	timerCtx, cancelTimer := workflow.WithCancel(ctx)
	timer := workflow.NewTimerWithOptions(timerCtx, time.Hour, workflow.TimerOptions{Summary: "escalate " + task})
	work := workflow.ExecuteActivity(quick(ctx), remind, task)
	race := workflow.NewSelector(ctx)
	race.AddFuture(timer, func(f workflow.Future) { report.Escalated = f.Get(ctx, nil) == nil })
	race.AddFuture(work, func(workflow.Future) { cancelTimer() })
	race.Select(ctx)
	if err := work.Get(ctx, nil); err != nil {
		return report, err
	}

	answered, err := workflow.AwaitWithTimeout(ctx, 10*time.Millisecond, func() bool { return false })
	report.Answered = answered
	return report, err
}

func remind(_ context.Context, task string) (string, error) { return "reminded of " + task, nil }

func timers() Sample {
	return Sample{
		Name:       "timers",
		Workflows:  workflows(reminder),
		Activities: activities(remind),
		Drive:      simple[reminderReport](reminder, "quarterly report"),
		Want:       `{"slept":true,"escalated":false,"answered":false}`,
	}
}

type stallReport struct {
	LastChunk int    `json:"last_chunk"`
	TimedOut  string `json:"timed_out"`
	Child     string `json:"child"`
}

// stall has an activity that hangs after a heartbeat and a child that never
// ends, and reads what is left of both.
func stall(ctx workflow.Context) (stallReport, error) {
	var report stallReport
	hung := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 5 * time.Second, // for the heartbeat to arrive, on a busy machine too
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 1},
	}), hang)
	endless := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowRunTimeout: 5 * time.Second, // an end during the first task fails that
	}), endlessChild)

	timeout, ok := errors.AsType[*temporal.TimeoutError](hung.Get(ctx, nil))
	if !ok {
		return report, errors.New("activity did not time out")
	}
	report.TimedOut = timeout.TimeoutType().String()
	if timeout.HasLastHeartbeatDetails() {
		if err := timeout.LastHeartbeatDetails(&report.LastChunk); err != nil {
			return report, err
		}
	}
	timeout, ok = errors.AsType[*temporal.TimeoutError](endless.Get(ctx, nil))
	if !ok {
		return report, errors.New("child did not time out")
	}
	report.Child = timeout.TimeoutType().String()
	return report, nil
}

// hang says how far it came and then waits for its own end.
func hang(ctx context.Context) error {
	activity.RecordHeartbeat(ctx, 7)
	<-ctx.Done()
	return ctx.Err()
}

func endlessChild(ctx workflow.Context) error {
	return workflow.Await(ctx, func() bool { return false })
}

func timeouts() Sample {
	return Sample{
		Name:       "timeouts",
		Workflows:  workflows(stall, endlessChild),
		Activities: activities(hang),
		Drive:      simple[stallReport](stall),
		Want:       `{"last_chunk":7,"timed_out":"StartToClose","child":"StartToClose"}`,
	}
}
