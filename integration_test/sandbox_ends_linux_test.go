package integration_test

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
)

// An ending is a way in which a workflow ends that has a command running.
type ending struct {
	name string
	// code is what the workflow does once its processes are there.
	code func(workflow.Context) error
	// outside is what happens to it then. Nil is nothing.
	outside func(context.Context, client.Client, client.WorkflowRun, *hosting) error
	// script is the command. Empty is linger.
	script string
	// closes has the workflow close its sandbox. Without it the host is alone.
	closes bool
	// timeout is that of the run.
	timeout time.Duration
	// host changes the host's options.
	host func(*sandboxhost.Options)
}

// seldom leaves nothing to the host's questions about owners.
func seldom(o *sandboxhost.Options) { o.PollInterval = time.Hour }

// strays is a script that ends, and leaves three processes in sessions of their own. Nobody is told of their owner's
// end.
const strays = `for i in 1 2 3; do
	setsid sleep 1000 >/dev/null 2>&1 &
	until [ "$(ps -o sid= -p $! | tr -d ' ')" = $! ]; do :; done
	pids="$pids $!"
done
echo $pids >"$1.new" && mv "$1.new" "$1"`

func endings() []ending {
	well := func(workflow.Context) error { return nil }
	fails := func(workflow.Context) error { return temporal.NewApplicationError("it failed", "Failed") }
	waits := func(ctx workflow.Context) error {
		ctx.Done().Receive(ctx, nil)
		return ctx.Err()
	}
	cancel := func(ctx context.Context, c client.Client, run client.WorkflowRun, _ *hosting) error {
		return c.CancelWorkflow(ctx, run.GetID(), "")
	}
	return []ending{
		{name: "success", code: well},
		{name: "success, while no command runs", code: well, script: strays},
		{name: "success, closed", code: well, closes: true, host: seldom},
		{name: "failure", code: fails},
		{name: "failure, closed", code: fails, closes: true, host: seldom},
		{name: "panic", code: func(workflow.Context) error { panic("on purpose") }, closes: true},
		{name: "cancellation", code: waits, outside: cancel},
		{name: "cancellation, closed", code: waits, outside: cancel, closes: true, host: seldom},
		{name: "termination", code: waits, outside: func(ctx context.Context, c client.Client, run client.WorkflowRun, _ *hosting) error {
			return c.TerminateWorkflow(ctx, run.GetID(), "", "on purpose")
		}},
		{name: "run timeout", code: waits, closes: true, timeout: 5 * time.Second},
		{
			name: "continue-as-new without the session",
			code: func(ctx workflow.Context) error {
				return workflow.NewContinueAsNewError(ctx, workflow.GetInfo(ctx).WorkflowType.Name, "")
			},
			// The chain of runs goes on, so only the deadlines are left.
			host: func(o *sandboxhost.Options) { o.PollInterval, o.IdleTimeout = time.Hour, time.Second },
		},
		{name: "worker stop", code: waits, host: seldom, outside: func(_ context.Context, _ client.Client, _ client.WorkflowRun, h *hosting) error {
			return h.stop()
		}},
	}
}

// workflow makes a sandbox with a command that lingers. Its next run, if there is one, knows nothing of it and waits.
func (e ending) workflow(ctx workflow.Context, path string) (err error) {
	if path == "" {
		ctx.Done().Receive(ctx, nil)
		return ctx.Err()
	}
	box, err := boxes.Create(ctx, withToken())
	if err != nil {
		return err
	}
	if e.closes {
		defer func() { err = errors.Join(err, box.Close(ctx)) }()
	}
	running := box.ExecAsync(ctx, shell(cmp.Or(e.script, linger), path))
	if e.script != "" {
		if _, err := running.Get(ctx); err != nil {
			return err
		}
	}
	workflow.GetSignalChannel(ctx, "go on").Receive(ctx, nil)
	return e.code(ctx)
}

// TestSandboxEnds: however a workflow ends, no process, no workspace and no record is left of its sandbox.
func TestSandboxEnds(t *testing.T) {
	t.Parallel()
	withLaunchers(t, func(t *testing.T, l local.Launcher) {
		t.Helper()
		for _, e := range endings() {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				e.test(t, l)
			})
		}
	})
}

func (e ending) test(t *testing.T, l local.Launcher) {
	t.Helper()
	ctx := limited(t)
	r := newRig(t, grantsToken)
	var change []func(*sandboxhost.Options)
	if e.host != nil {
		change = append(change, e.host)
	}
	h := hostsOf(t, l, r.client, r.queue, t.TempDir(), r.log, func(w worker.Registry) { named(w, "Ending", e.workflow) }, change...)
	at := pidFileFor(t, l, h.sandboxes)
	run, err := r.plain.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: r.queue, TaskQueue: r.queue, WorkflowRunTimeout: e.timeout}, "Ending", at.inside)
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	if e.script == "" || !l.Isolated() {
		pids = at.processesOf(ctx, t, run, l, h.sandboxes)
	} else {
		lingers(ctx, t, run, at.outside) // the kernel ends them with their command
	}
	if len(ids(t, h.sandboxes)) != 1 || len(ids(t, h.sessions)) != 1 || len(alive(pids)) != len(pids) {
		t.Fatal("there is no sandbox, no record or no process: the test shows nothing")
	}
	if err := r.plain.SignalWorkflow(ctx, run.GetID(), "", "go on", nil); err != nil {
		t.Fatal(err)
	}
	if e.outside != nil {
		if err := e.outside(ctx, r.plain, run, h); err != nil {
			t.Fatal(err)
		}
	}
	h.wantNothingLeft(ctx, t, pids...)
}

// TestSandboxEndsCommandsWithTheirActivity: a command whose activity ran out of time ends with it, the next attempt
// does not run it again, and the session can be used.
func TestSandboxEndsCommandsWithTheirActivity(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	r := newRig(t, grantsToken)
	h := hosts(t, r.client, r.queue, t.TempDir(), r.log, func(w worker.Registry) {
		named(w, "TimesOut", func(ctx workflow.Context, path string) (out string, err error) {
			box, err := boxes.Create(ctx, withToken())
			if err != nil {
				return "", err
			}
			defer func() { err = errors.Join(err, box.Close(ctx)) }()
			state := box.State()
			short := workflow.WithValue(ctx, bind.QueueKey{}, workflow.GetInfo(ctx).TaskQueueName)
			short = workflow.WithActivityOptions(short, workflow.ActivityOptions{
				TaskQueue: state.HostQueue, StartToCloseTimeout: 2 * time.Second, RetryPolicy: &temporal.RetryPolicy{InitialInterval: time.Millisecond, MaximumAttempts: 3},
			})
			err = workflow.ExecuteActivity(short, operation.Exec.Activity("local"), operation.ExecArgs{
				State: state.Session, Command: shell(linger, path).Args, Shell: operation.Shell{Off: true},
			}).Get(ctx, nil)
			var app *temporal.ApplicationError
			if !errors.As(err, &app) || app.Type() != sandboxhost.ErrorTypeMayHaveRun {
				return "", temporal.NewApplicationErrorWithCause("the second attempt did not say that it may have run", "Unexpected", err)
			}
			workflow.GetSignalChannel(ctx, "go on").Receive(ctx, nil)
			result, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"echo", "usable"}})
			return string(result.Stdout), err
		})
	})
	path := filepath.Join(t.TempDir(), "pids")
	run := r.start(ctx, t, r.plain, "TimesOut", path)
	pids := lingers(ctx, t, run, path)
	wantEnded(ctx, t, pids)
	if err := r.plain.SignalWorkflow(ctx, run.GetID(), "", "go on", nil); err != nil {
		t.Fatal(err)
	}
	var out string
	if err := run.Get(ctx, &out); err != nil || out != "usable\n" {
		t.Errorf("after the timeout: %q, %v", out, err)
	}
	h.wantNothingLeft(ctx, t, pids...)
}
