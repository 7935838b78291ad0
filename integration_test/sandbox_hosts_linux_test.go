package integration_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// place is where a workflow's commands ran.
type place struct {
	// Dirs are the directories of all commands.
	Dirs []string
	// Gone is whether the sandbox was not found once its host had stopped, and Again the directory of the next one.
	Gone  bool
	Again string
}

// staying runs commands in one sandbox, and makes another one if its host has gone meanwhile.
func staying(ctx workflow.Context) (out place, err error) {
	box, err := hasty.Create(ctx, withToken())
	if err != nil {
		return out, err
	}
	defer func() {
		closed := box.Close(ctx)
		if out.Gone && errors.Is(closed, sandboxclient.ErrUnreached) {
			closed = nil // its host has removed it
		}
		err = errors.Join(err, closed)
	}()
	ready := false
	if err := workflow.SetQueryHandler(ctx, "dir", func() (string, error) {
		if !ready {
			return "", nil
		}
		return out.Dirs[0], nil
	}); err != nil {
		return out, err
	}
	for range 5 {
		result, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"pwd"}})
		if err != nil {
			return out, err
		}
		out.Dirs = append(out.Dirs, string(result.Stdout))
	}
	ready = true
	workflow.GetSignalChannel(ctx, "go on").Receive(ctx, nil)
	result, err := box.Exec(ctx, sandboxclient.Command{Args: []string{"pwd"}})
	if err == nil {
		out.Dirs = append(out.Dirs, string(result.Stdout))
		return out, nil
	}
	if out.Gone = errors.Is(err, sandboxclient.ErrNotFound); !out.Gone || errors.Is(err, sandboxclient.ErrMayHaveRun) {
		return out, err
	}
	other, err := hasty.Create(ctx, withToken())
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, other.Close(ctx)) }()
	result, err = other.Exec(ctx, sandboxclient.Command{Args: []string{"pwd"}})
	out.Again = string(result.Stdout)
	return out, err
}

// TestTwoHosts has two hosts serve one queue. Sessions stay where they were made. When one host stops, the other one
// answers that it does not have its sessions, records who asked, and makes new ones.
func TestTwoHosts(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	r := newRig(t, grantsToken)
	harness.Worker(t, r.client, r.queue, worker.Options{LocalActivityWorkerOnly: true}, func(w worker.Registry) { named(w, "Staying", staying) })
	var both [2]*hosting
	for i := range both {
		both[i] = hosts(t, r.client, r.queue, t.TempDir(), r.log, nil)
	}
	of := func(dir string) int {
		for i, h := range both {
			if strings.HasPrefix(dir, h.sandboxes+string(filepath.Separator)) {
				return i
			}
		}
		t.Fatal("a command ran elsewhere")
		return -1
	}

	// Which host makes a sandbox is the server's choice: workflows are started until each has some.
	runs := map[client.WorkflowRun]int{}
	var count [2]int
	for i := 0; count[0] < 2 || count[1] < 2; i++ {
		run, err := r.plain.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: fmt.Sprintf("%s-%d", r.queue, i), TaskQueue: r.queue}, "Staying")
		if err != nil {
			t.Fatal(err)
		}
		var dir string
		if err := harness.Eventually(ctx, func() (bool, error) {
			answer, err := r.plain.QueryWorkflow(ctx, run.GetID(), "", "dir")
			if err != nil {
				return false, nil //nolint:nilerr // asked again: a run that has just begun has no handler
			}
			err = answer.Get(&dir)
			return dir != "", err
		}); err != nil {
			t.Fatal(err)
		}
		runs[run] = of(dir)
		count[of(dir)]++
	}
	if err := both[0].stop(); err != nil {
		t.Fatal(err)
	}
	both[0].wantNothingLeft(ctx, t)
	for run := range runs {
		if err := r.plain.SignalWorkflow(ctx, run.GetID(), "", "go on", nil); err != nil {
			t.Fatal(err)
		}
	}
	for run, on := range runs {
		var out place
		if err := run.Get(ctx, &out); err != nil {
			t.Fatal(err)
		}
		for _, dir := range out.Dirs {
			if dir != out.Dirs[0] || of(dir) != on {
				t.Errorf("the commands of one sandbox ran in %q", out.Dirs)
			}
		}
		if on == 0 && (!out.Gone || of(out.Again) != 1) || on == 1 && (out.Gone || len(out.Dirs) != 6) {
			t.Errorf("on host %d: gone %v, %d commands, then %q", on, out.Gone, len(out.Dirs), out.Again)
		}
	}
	asked := map[string]bool{}
	for _, record := range both[1].denied.all() {
		if strings.HasSuffix(record.Activity, "resume") && record.Detail == "no such session" {
			asked[record.WorkflowID] = true
		}
	}
	if len(asked) != count[0] {
		t.Errorf("%d workflows are on record for asking after a session of another host, want %d", len(asked), count[0])
	}
	both[1].wantNothingLeft(ctx, t)
}
