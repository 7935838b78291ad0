package integration_test

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// survived is what a session puts out before and after its worker was killed: text, or the type of an error.
type survived struct{ Before, Read, Exec string }

// surviving goes on with a session whose worker was killed.
func surviving(ctx workflow.Context) (out survived, err error) {
	box, err := boxes.Create(ctx, withToken())
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, box.Close(ctx)) }()
	before, err := box.Exec(ctx, shell(`printf 'token=%s\n' "$API_TOKEN" | tee kept`))
	out.Before = cmp.Or(typeOf(err), string(before.Stdout))
	workflow.GetSignalChannel(ctx, "go on").Receive(ctx, nil)
	read, err := box.Read(ctx, "kept")
	out.Read = cmp.Or(typeOf(err), string(read))
	again, err := box.Exec(ctx, shell("cat kept"))
	if errors.Is(err, sandboxclient.ErrMayHaveRun) && typeOf(err) != sandboxhost.ErrorTypeOutputWithheld {
		return out, err
	}
	out.Exec = cmp.Or(typeOf(err), string(again.Stdout))
	return out, nil
}

// typeOf is the type of the error of an application in the chain of err, empty if there is no error.
func typeOf(err error) string {
	var app *temporal.ApplicationError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &app):
		return app.Type()
	}
	return "another error: " + err.Error()
}

// completes waits for the end of the n-th activity of a run.
func (r *rig) completes(ctx context.Context, t *testing.T, n int) {
	t.Helper()
	_, err := harness.AwaitEvent(ctx, r.plain, r.queue, "", func(e *historypb.HistoryEvent) bool {
		if e.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
			n--
		}
		return n == 0
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ownName is what a worker knows the ending's workflow by that knows all of them.
func (e ending) ownName() string { return "Ending: " + e.name }

// whileAway is how the workflow of a session ends whose worker was killed.
type whileAway struct {
	// ending is the name of one.
	ending string
	status enumspb.WorkflowExecutionStatus
	// by is who carries the workflow's code out, if that takes somebody.
	by finisher
	// idle is the next host's timeout of sessions that nothing uses.
	idle time.Duration
	// isolated has it shown with isolation, too. What differs there is the processes, not the end.
	isolated bool
}

type finisher int

const (
	nobody  finisher = iota // the server ends it
	another                 // a worker on the queue that has no host, before there is the next
	next                    // the worker with the next host
)

func endsWhileAway() map[string]whileAway {
	return map[string]whileAway{
		"termination":  {ending: "termination", status: enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, isolated: true},
		"run timeout":  {ending: "run timeout", status: enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT},
		"success":      {ending: "success", status: enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, by: another},
		"failure":      {ending: "failure", status: enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, by: another},
		"cancellation": {ending: "cancellation", status: enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, by: another},
		"continue-as-new without the session": {
			ending: "continue-as-new without the session", status: enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW, by: another, idle: time.Second,
		},
		"failure, after the restart":      {ending: "failure", status: enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, by: next},
		"cancellation, after the restart": {ending: "cancellation", status: enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, by: next, isolated: true},
	}
}

// TestKilledWorkerSessionsEnd: the workflow of a session ends while its worker is dead, or is told to. The next worker
// removes the session. Isolated, the killed one has left no process.
func TestKilledWorkerSessionsEnd(t *testing.T) {
	t.Parallel()
	withLaunchers(t, func(t *testing.T, l local.Launcher) {
		t.Helper()
		for name, away := range endsWhileAway() {
			if l.Isolated() && !away.isolated {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				away.test(t, l)
			})
		}
	})
}

func (away whileAway) test(t *testing.T, l local.Launcher) {
	t.Helper()
	ctx := limited(t)
	all := endings()
	e := all[slices.IndexFunc(all, func(e ending) bool { return e.name == away.ending })]
	r := newRig(t, grantsToken, func(r *rig) { r.handedOver = true })
	dir := t.TempDir()
	left := &hosting{sandboxes: filepath.Join(dir, "sandboxes"), sessions: filepath.Join(dir, "sessions")}
	at := pidFileFor(t, l, left.sandboxes)
	what := r.task(l, dir, map[string]string{ref: r.secret}, true)
	first := r.process(t, what)
	run, err := r.plain.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: r.queue, TaskQueue: r.queue, WorkflowTaskTimeout: 2 * time.Second,
		WorkflowRunTimeout: 2 * e.timeout, // time for a process to start
	}, e.ownName(), at.inside)
	if err != nil {
		t.Fatal(err)
	}
	pids := at.processesOf(ctx, t, run, l, left.sandboxes)
	first.kill()
	if l.Isolated() {
		wantEnded(ctx, t, pids)
	} else {
		wantEnded(ctx, t, pids[:1])
	}

	// ends waits for the end that the case is about.
	ends := func() {
		t.Helper()
		_ = run.GetWithOptions(ctx, nil, client.WorkflowRunGetOptions{DisableFollowingRuns: true}) // its status tells
		if got := statusOf(ctx, t, r.plain, run); got != away.status {
			t.Fatalf("the workflow is %v, want %v", got, away.status)
		}
	}
	if got := statusOf(ctx, t, r.plain, run); got != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		t.Fatalf("the workflow was %v before its worker was killed: the test shows nothing", got)
	}
	if err := r.plain.SignalWorkflow(ctx, run.GetID(), run.GetRunID(), "go on", nil); err != nil {
		t.Fatal(err)
	}
	if e.outside != nil {
		if err := e.outside(ctx, r.plain, run, nil); err != nil {
			t.Fatal(err)
		}
	}
	if away.by == another {
		harness.Worker(t, r.client, r.queue, worker.Options{LocalActivityWorkerOnly: true}, func(w worker.Registry) { killable(w) })
	}
	if away.by != next {
		ends()
	}
	if len(ids(t, left.sandboxes)) != 1 || len(ids(t, left.sessions)) != 1 || (len(alive(pids)) == 0) != l.Isolated() {
		t.Fatal("the killed worker left no sandbox, record or process behind: the test shows nothing")
	}
	what.IdleTimeout = away.idle
	r.process(t, what)
	if away.by == next {
		ends()
	}
	left.wantNothingLeft(ctx, t, pids...)
}

// statusOf is how a run is on the server.
func statusOf(ctx context.Context, t *testing.T, c client.Client, run client.WorkflowRun) enumspb.WorkflowExecutionStatus {
	t.Helper()
	d, err := c.DescribeWorkflowExecution(ctx, run.GetID(), run.GetRunID())
	if err != nil {
		t.Fatal(err)
	}
	return d.GetWorkflowExecutionInfo().GetStatus()
}

// TestKilledWorkerSessionsGoOn: the session of a workflow that runs on is taken over by the next worker, which hides
// what the session was given before, or puts nothing out.
func TestKilledWorkerSessionsGoOn(t *testing.T) {
	t.Parallel()
	withLaunchers(t, func(t *testing.T, l local.Launcher) {
		t.Helper()
		for _, tc := range []struct {
			name string
			next func(t *testing.T, secret string) map[string]string // secrets of the next worker
			want survived
		}{
			{"secret is there", func(_ *testing.T, secret string) map[string]string { return map[string]string{ref: secret} }, survived{"token=[redacted:deploy]\n", "token=[redacted:deploy]\n", "token=[redacted:deploy]\n"}},
			{"secret was rotated", func(t *testing.T, _ string) map[string]string {
				t.Helper()
				return map[string]string{ref: secretstest.Canary(t)}
			}, survived{"token=[redacted:deploy]\n", sandboxhost.ErrorTypeOutputWithheld, sandboxhost.ErrorTypeOutputWithheld}},
			{"secret is gone", func(*testing.T, string) map[string]string { return nil }, survived{"token=[redacted:deploy]\n", sandboxhost.ErrorTypeOutputWithheld, guard.ErrorTypeSecretUnresolved}},
		} {
			t.Run(tc.name, func(t *testing.T) {
				t.Parallel()
				survives(t, l, tc.next, tc.want)
			})
		}
	})
}

// survives has a session outlive its worker, whose next one has other secrets.
func survives(t *testing.T, l local.Launcher, next func(t *testing.T, secret string) map[string]string, want survived) {
	t.Helper()
	ctx := limited(t)
	r := newRig(t, grantsToken, func(r *rig) { r.handedOver = true })
	dir := t.TempDir()
	first := r.process(t, r.task(l, dir, map[string]string{ref: r.secret}, true))
	run := r.start(ctx, t, r.plain, "Surviving")
	r.completes(ctx, t, 3) // create, start, exec
	first.kill()
	r.process(t, r.task(l, dir, next(t, r.secret), true))
	if err := r.plain.SignalWorkflow(ctx, run.GetID(), "", "go on", nil); err != nil {
		t.Fatal(err)
	}
	var out survived
	if err := run.Get(ctx, &out); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, out); diff != "" {
		t.Errorf("put out (-want +got):\n%s", diff)
	}
	left := hosting{sandboxes: filepath.Join(dir, "sandboxes"), sessions: filepath.Join(dir, "sessions")}
	left.wantNothingLeft(ctx, t)
	r.absent(ctx, t, r.secret)
}
