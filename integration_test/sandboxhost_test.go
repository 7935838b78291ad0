package integration_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// sandboxJob runs one command in a sandbox, in the next run of its chain if so asked, and may leave the sandbox behind.
func sandboxJob(ctx workflow.Context, state *sandbox.SessionState, queue, command string, leave bool) (operation.ExecResult, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, HeartbeatTimeout: 5 * time.Second, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 5},
	})
	var none operation.ExecResult
	if state == nil {
		var made operation.SessionResult
		if err := workflow.ExecuteActivity(ctx, operation.Create.Activity("fake"), operation.CreateArgs{}).Get(ctx, &made); err != nil {
			return none, err
		}
		return none, workflow.NewContinueAsNewError(ctx, sandboxJob, &made.State, made.HostQueue, command, leave)
	}
	ctx = workflow.WithTaskQueue(ctx, queue)
	if err := workflow.ExecuteActivity(ctx, operation.Start.Activity("fake"), operation.StateArgs{State: *state}).Get(ctx, nil); err != nil {
		return none, err
	}
	var out operation.ExecResult
	if err := workflow.ExecuteActivity(ctx, operation.Exec.Activity("fake"), operation.ExecArgs{State: *state, Command: []string{command}}).Get(ctx, &out); err != nil || leave {
		return out, err
	}
	return out, workflow.ExecuteActivity(ctx, operation.Delete.Activity("fake"), operation.StopArgs{State: *state}).Get(ctx, nil)
}

// TestSandboxHost runs a host with its own queue on a real server: for a workflow that goes on in another run and
// deletes its sandbox, and for those that end without a word.
func TestSandboxHost(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	c := server.Dial(t, client.Options{})
	queue := harness.Queue(t)
	fake := sandboxtest.NewFake()
	running, killed := make(chan struct{}), make(chan struct{})
	var once sync.Once
	fake.Handle("hold", func(ctx context.Context, _ backend.Command) int {
		once.Do(func() { close(running) })
		<-ctx.Done()
		close(killed)
		return 0
	})
	dir := filepath.Join(t.TempDir(), "sessions")
	host, err := sandboxhost.New("fake", fake, sandboxhost.Options{Dir: dir, PollInterval: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	harness.Worker(t, c, queue, worker.Options{}, func(r worker.Registry) {
		r.RegisterWorkflow(sandboxJob)
		host.Register(r)
	})
	hosting, stop := context.WithCancel(ctx)
	stopped := make(chan error, 1)
	go func() { stopped <- host.Run(hosting, c, queue) }()
	start := func(name, command string, leave bool) client.WorkflowRun {
		t.Helper()
		run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: queue + name, TaskQueue: queue}, sandboxJob, nil, "", command, leave)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}

	var out operation.ExecResult
	if err := start("good", "echo hello", false).Get(ctx, &out); err != nil || string(out.Stdout) != "hello\n" {
		t.Errorf("result %q, %v", out.Stdout, err)
	}
	if ids, _ := fake.Left(); len(ids) > 0 {
		t.Errorf("left after delete: %v", ids)
	}

	job := start("terminated", "hold", true)
	select {
	case <-running:
	case <-ctx.Done():
		t.Fatal("the command did not begin")
	}
	if err := c.TerminateWorkflow(ctx, job.GetID(), "", "test"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-killed: // while the host runs
	case <-ctx.Done():
		t.Fatal("the command outlived its workflow")
	}

	if err := start("left behind", "true", true).Get(ctx, nil); err != nil {
		t.Errorf("job: %v", err)
	}
	stop()
	if err := <-stopped; err != nil {
		t.Errorf("Run: %v", err)
	}
	ids, commands := fake.Left()
	records, err := filepath.Glob(filepath.Join(dir, "*-*")) // directories are named after sessions
	if err != nil || len(ids) > 0 || commands > 0 || len(records) > 0 {
		t.Errorf("left: sandboxes %v, %d commands, %d records, %v", ids, commands, len(records), err)
	}
}
