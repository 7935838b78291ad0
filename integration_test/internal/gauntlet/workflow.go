package gauntlet

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// Type is the workflow type.
const Type = "Gauntlet"

// UpdateName is the update that the workflow answers while it runs.
const UpdateName = "nudge"

// WaitingQuery asks whether the workflow waits for updates.
const WaitingQuery = "waiting"

// Finish is the signal that ends the workflow's wait for updates.
const Finish = "finish"

// stage is a search attribute that the server has to know.
var stage = temporal.NewSearchAttributeKeyKeyword("SampleStage")

// Plan says what the calls carry.
type Plan struct {
	// Text stands in every call that can hold text.
	Text string `json:"text"`
	// HostPath stands in the run config of StartJob, as a path grant.
	HostPath string `json:"host_path,omitempty"`
	// Secret is put into an activity's field. The zero value makes no such call.
	Secret secrets.Value `json:"secret"`
	// Fan is how many coroutines call an activity at the same time.
	Fan int `json:"fan"`
	// Rounds is how often the workflow continues as new.
	Rounds int `json:"rounds"`
	// Wait makes the last round wait for Finish, to be updated meanwhile.
	Wait bool `json:"wait,omitempty"`
}

// Report says what was refused, by channel.
type Report map[string]int

// note is what most calls carry: text in a map, which could hold anything.
func note(text string) map[string]any { return map[string]any{"text": text, "lines": 1} }

// course is the state of one run.
type course struct {
	plan   Plan
	report Report
	// waiting is true once all that is left is to be updated and finished.
	waiting bool
}

// gauntlet makes every call once, and some of them several times at once.
func gauntlet(ctx workflow.Context, p Plan) (Report, error) {
	c := &course{plan: p, report: Report{}}
	ctx = options(ctx)
	if err := workflow.SetUpdateHandler(ctx, UpdateName, c.nudge); err != nil {
		return nil, err
	}
	if err := workflow.SetQueryHandler(ctx, WaitingQuery, func() (bool, error) { return c.waiting, nil }); err != nil {
		return nil, err
	}
	for _, step := range []func(workflow.Context) error{
		c.activities, c.own, c.local, c.children, c.signals, c.attributes, c.fan,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if p.Rounds > 0 {
		p.Rounds--
		next := workflow.NewContinueAsNewError(ctx, Type, p)
		if !guard.IsRefused(next) {
			return nil, next
		}
		if err := c.met(ctx, "continue-as-new", next); err != nil {
			return nil, err
		}
	}
	if p.Wait {
		c.waiting = true
		workflow.GetSignalChannel(ctx, Finish).Receive(ctx, nil)
	}
	return c.report, workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}

// met settles how a call ended. A refusal is counted and answered with a call
// of another type, which needs a command of its own.
func (c *course) met(ctx workflow.Context, channel string, err error) error {
	if err == nil {
		return nil
	}
	if !guard.IsRefused(err) {
		return fmt.Errorf("%s: %w", channel, err)
	}
	c.report[channel]++
	return workflow.ExecuteActivity(ctx, "Fallback", channel).Get(ctx, nil)
}

// nudge is the update handler. It runs beside everything else.
func (c *course) nudge(ctx workflow.Context, times int) (int, error) {
	refused := 0
	for range times {
		err := workflow.ExecuteActivity(options(ctx), "Note", note(c.plan.Text)).Get(ctx, nil)
		if guard.IsRefused(err) {
			refused++
		}
		if err := c.met(options(ctx), "update", err); err != nil {
			return refused, err
		}
	}
	return refused, nil
}

func options(ctx workflow.Context) workflow.Context {
	retry := &temporal.RetryPolicy{InitialInterval: time.Millisecond, MaximumAttempts: 3}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 30 * time.Second, RetryPolicy: retry})
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: 30 * time.Second, RetryPolicy: retry})
}

// Register registers the workflows.
func Register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(gauntlet, workflow.RegisterOptions{Name: Type})
	r.RegisterWorkflowWithOptions(small, workflow.RegisterOptions{Name: "Small"})
	r.RegisterWorkflowWithOptions(listener, workflow.RegisterOptions{Name: "Listener"})
	r.RegisterWorkflowWithOptions(ends, workflow.RegisterOptions{Name: EndsType})
}
