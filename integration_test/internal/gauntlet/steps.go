package gauntlet

import (
	"context"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// Tool is an activity input with a secret in a field of its own.
type Tool struct {
	Name  string        `json:"name"`
	Token secrets.Value `json:"token"`
}

// Job is an activity input with a run config in map form.
type Job struct {
	Name   string         `json:"name"`
	Config map[string]any `json:"config"`
}

// activities calls one with a map, one with a run config in map form, and one
// with a secret.
func (c *course) activities(ctx workflow.Context) error {
	err := workflow.ExecuteActivity(ctx, "Note", note(c.plan.Text)).Get(ctx, nil)
	if err := c.met(ctx, "activity", err); err != nil {
		return err
	}
	if c.plan.HostPath != "" {
		job := Job{Name: "report", Config: map[string]any{"max_turns": 3, "sandbox": map[string]any{
			"manifest": map[string]any{"extra_path_grants": []any{map[string]any{"path": c.plan.HostPath, "host_path": c.plan.HostPath}}},
		}}}
		err := workflow.ExecuteActivity(ctx, "StartJob", job).Get(ctx, nil)
		if err := c.met(ctx, "run config", err); err != nil {
			return err
		}
	}
	if c.plan.Secret.IsZero() {
		return nil
	}
	err = workflow.ExecuteActivity(ctx, "UseTool", Tool{Name: "hammer", Token: c.plan.Secret}).Get(ctx, nil)
	return c.met(ctx, "secret", err)
}

// own makes the workflow's own records between the guarded calls.
func (c *course) own(ctx workflow.Context) error {
	var drawn, held int
	if err := workflow.SideEffect(ctx, func(workflow.Context) any { return 4 }).Get(&drawn); err != nil {
		return err
	}
	same := func(a, b any) bool { return a == b }
	if err := workflow.MutableSideEffect(ctx, "held", func(workflow.Context) any { return 5 }, same).Get(&held); err != nil {
		return err
	}
	if workflow.GetVersion(ctx, "count-by-activity", workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return workflow.Sleep(ctx, 1)
	}
	return workflow.ExecuteActivity(ctx, "Count", drawn+held).Get(ctx, nil)
}

func (c *course) local(ctx workflow.Context) error {
	err := workflow.ExecuteLocalActivity(ctx, "Note", note(c.plan.Text)).Get(ctx, nil)
	return c.met(ctx, "local activity", err)
}

func (c *course) children(ctx workflow.Context) error {
	err := workflow.ExecuteChildWorkflow(ctx, "Small", note(c.plan.Text)).Get(ctx, nil)
	return c.met(ctx, "child", err)
}

// signals has a child wait for a note, which it gets in one form or another.
func (c *course) signals(ctx workflow.Context) error {
	child := workflow.ExecuteChildWorkflow(ctx, "Listener")
	var execution workflow.Execution
	if err := child.GetChildWorkflowExecution().Get(ctx, &execution); err != nil {
		return err
	}
	err := child.SignalChildWorkflow(ctx, "note", note(c.plan.Text)).Get(ctx, nil)
	if err := c.met(ctx, "signal to a child", err); err != nil {
		return err
	}
	err = workflow.SignalExternalWorkflow(ctx, execution.ID, "", "note", note(c.plan.Text)).Get(ctx, nil)
	if err := c.met(ctx, "signal", err); err != nil {
		return err
	}
	if err := child.SignalChildWorkflow(ctx, Finish, nil).Get(ctx, nil); err != nil {
		return err
	}
	return child.Get(ctx, nil)
}

func (c *course) attributes(ctx workflow.Context) error {
	if err := c.met(ctx, "memo", workflow.UpsertMemo(ctx, note(c.plan.Text))); err != nil {
		return err
	}
	return c.met(ctx, "search attributes", workflow.UpsertTypedSearchAttributes(ctx, stage.ValueSet(c.plan.Text)))
}

// fan makes calls from several coroutines at once.
func (c *course) fan(ctx workflow.Context) error {
	var failed error
	waiting := workflow.NewWaitGroup(ctx)
	for range c.plan.Fan {
		waiting.Add(1)
		workflow.Go(ctx, func(ctx workflow.Context) {
			defer waiting.Done()
			err := workflow.ExecuteActivity(ctx, "Note", note(c.plan.Text)).Get(ctx, nil)
			if err := c.met(ctx, "coroutine", err); err != nil {
				failed = err
			}
		})
	}
	waiting.Wait(ctx)
	return failed
}

// small is a child with nothing to do.
func small(workflow.Context, map[string]any) error { return nil }

// listener is a child that takes notes until it is told to finish.
func listener(ctx workflow.Context) (int, error) {
	notes, done := 0, false
	arrivals := workflow.NewSelector(ctx)
	arrivals.AddReceive(workflow.GetSignalChannel(ctx, "note"), func(ch workflow.ReceiveChannel, _ bool) {
		ch.Receive(ctx, nil)
		notes++
	})
	arrivals.AddReceive(workflow.GetSignalChannel(ctx, Finish), func(ch workflow.ReceiveChannel, _ bool) {
		ch.Receive(ctx, nil)
		done = true
	})
	for !done {
		arrivals.Select(ctx)
	}
	return notes, nil
}

// RegisterActivities registers the activities. None of them keeps anything.
func RegisterActivities(r worker.ActivityRegistry) {
	for name, f := range map[string]any{
		"Note":     func(context.Context, map[string]any) error { return nil },
		"StartJob": func(context.Context, Job) error { return nil },
		"UseTool":  func(context.Context, Tool) error { return nil },
		"Count":    func(context.Context, int) error { return nil },
		"Fallback": func(context.Context, string) error { return nil },
	} {
		r.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
	}
}
