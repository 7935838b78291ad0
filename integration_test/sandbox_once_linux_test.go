package integration_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// tally is what a workflow knows of its commands, each by the line that it adds to a file.
type tally struct{ Ran, Unknown, Not []string }

// counter has each command add a line of its own to a file outside of the workspace.
type counter struct {
	Path, Name string
	Commands   int
	// Retried has the server try each command up to five times, as a caller without this module might.
	Retried bool
}

// hasty is a client for hosts that are killed all the time.
var hasty = sandboxclient.New("local", sandboxclient.Options{
	ScheduleToStartTimeout: 2 * time.Second, StartToCloseTimeout: 4 * time.Second, HeartbeatTimeout: time.Second,
})

func counting(ctx workflow.Context, c counter) (out tally, err error) {
	box, err := hasty.Create(ctx, withToken())
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, box.Close(ctx)) }()
	for i := range c.Commands {
		line := fmt.Sprintf("%s-%d", c.Name, i)
		cmd := shell(`echo "$1" >>"$2"; sleep 0.03`, line, c.Path)
		if i == 0 { // goes on until the worker is killed
			cmd = shell(`echo "$1" >>"$2"; exec sleep 1000`, line, c.Path)
		}
		if c.Retried {
			err = retried(ctx, box, cmd)
		} else {
			_, err = box.Exec(ctx, cmd)
		}
		switch {
		case err == nil:
			out.Ran = append(out.Ran, line)
		case errors.Is(err, sandboxclient.ErrMayHaveRun):
			out.Unknown = append(out.Unknown, line)
		default:
			out.Not = append(out.Not, line)
		}
	}
	return out, nil
}

// retried runs a command on the queue that all hosts serve, with more than one attempt.
func retried(ctx workflow.Context, box *sandboxclient.Sandbox, cmd sandboxclient.Command) error {
	seconds := 60.0
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: time.Minute, HeartbeatTimeout: time.Second,
		RetryPolicy: &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumAttempts: 5},
	}), operation.Exec.Activity("local"), operation.ExecArgs{
		State: box.State().Session, Command: cmd.Args, Timeout: &seconds, Shell: operation.Shell{Off: true},
	}).Get(ctx, nil)
	switch kind := typeOf(err); kind {
	case "":
		return nil
	case string(backend.ExecTransport), backend.ExecTransport.Class(): // a new host has not started it
		return errors.Join(err, box.Start(ctx))
	default:
		return fmt.Errorf("%w: %w", sandboxclient.ErrMayHaveRun, err)
	}
}

// TestCommandsRunOnce kills the worker again and again while workflows run 200 commands. None runs twice, and what the
// workflows know of them is true.
func TestCommandsRunOnce(t *testing.T) {
	t.Parallel()
	const kills, counters, each = 5, 4, 50
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience) // each kill costs all timeouts of the client
	defer cancel()
	r := newRig(t, grantsToken)
	harness.Worker(t, r.client, r.queue, worker.Options{LocalActivityWorkerOnly: true}, func(w worker.Registry) { named(w, "Counting", counting) })
	dir, path := t.TempDir(), filepath.Join(t.TempDir(), "lines")
	what := r.task(local.Unisolated, dir, map[string]string{ref: r.secret}, false)
	ran := func() []string {
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return strings.Fields(string(data))
	}

	worker := r.process(t, what)
	var runs []client.WorkflowRun
	for i := range counters {
		c := counter{Path: path, Name: fmt.Sprintf("w%d", i), Commands: each, Retried: i%2 == 1}
		run, err := r.plain.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: r.queue + c.Name, TaskQueue: r.queue}, "Counting", c)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, run)
	}
	random := rand.New(rand.NewPCG(2024, 7))
	for kill := range kills {
		more := len(ran()) + 1
		if kill == 0 {
			more = counters // the first commands of all
		}
		if err := harness.Eventually(ctx, func() (bool, error) { return len(ran()) >= more, nil }); err != nil {
			t.Fatal(err)
		}
		<-time.After(time.Duration(random.IntN(400)) * time.Millisecond) // the moment of the kill
		worker.kill()
		worker = r.process(t, what)
	}

	count := map[string]int{}
	var all tally
	for _, run := range runs {
		var one tally
		if err := run.Get(ctx, &one); err != nil {
			t.Fatal(err)
		}
		all.Ran, all.Unknown, all.Not = append(all.Ran, one.Ran...), append(all.Unknown, one.Unknown...), append(all.Not, one.Not...)
	}
	for _, line := range ran() {
		if count[line]++; count[line] > 1 {
			t.Errorf("%s ran %d times", line, count[line])
		}
	}
	known := 0
	for _, line := range all.Ran {
		if known += count[line]; count[line] != 1 {
			t.Errorf("%s ran, says its workflow, and did not", line)
		}
	}
	for _, line := range all.Unknown {
		known += count[line]
	}
	for _, line := range all.Not {
		if count[line] != 0 {
			t.Errorf("%s did not run, says its workflow, and did", line)
		}
	}
	if total := len(all.Ran) + len(all.Unknown) + len(all.Not); total != counters*each || known != len(count) {
		t.Errorf("%d commands, of which %d were reported; %d ran, of which %d were reported", counters*each, total, len(count), known)
	}
	if len(all.Ran) < counters*each/2 || len(all.Unknown) < counters {
		t.Errorf("%d ran, %d may have run, %d did not: the test shows nothing", len(all.Ran), len(all.Unknown), len(all.Not))
	}
	t.Logf("%d ran, %d may have run, %d did not", len(all.Ran), len(all.Unknown), len(all.Not))
}
