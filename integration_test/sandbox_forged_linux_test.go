package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
)

// acting is a workflow that makes a sandbox on a queue if it is named one, tells its state, and carries out operations
// with the arguments that it is sent, whatever they are. No guard is on its worker.
func acting(ctx workflow.Context, queue, path string) error {
	var state *sandbox.SessionState
	made := false
	if err := workflow.SetQueryHandler(ctx, "state", func() (*sandbox.SessionState, error) { return state, nil }); err != nil {
		return err
	}
	err := workflow.SetUpdateHandler(ctx, "act", func(ctx workflow.Context, queue, activity string, args json.RawMessage) (string, error) {
		_ = workflow.Await(ctx, func() bool { return made })
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			TaskQueue: queue, StartToCloseTimeout: 10 * time.Second, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
		})
		return answerOf(workflow.ExecuteActivity(ctx, activity, args).Get(ctx, nil)), nil
	})
	if err != nil {
		return err
	}
	if queue != "" {
		box, err := sandboxclient.New("local", sandboxclient.Options{Queue: queue}).Create(ctx, withToken())
		if err != nil {
			return err
		}
		own := box.State().Session
		state = &own
		if path != "" {
			_ = box.ExecAsync(ctx, shell(linger, path))
		}
	}
	made = true
	workflow.GetSignalChannel(ctx, "end").Receive(ctx, nil)
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}

// attempts are the operations that are tried with a state.
var attempts = map[operation.Name]string{
	operation.Resume: `{"state":%}`, operation.Start: `{"state":%}`, operation.Read: `{"state":%,"path":"in.txt"}`,
	operation.Exec: `{"state":%,"command":["touch","forged"]}`, operation.Write: `{"state":%,"path":"forged","data":""}`,
	operation.PTYExec: `{"state":%,"command":["touch","forged"],"tty":true}`, operation.PTYSend: `{"state":%,"session_id":1000,"chars":"x"}`,
	operation.Persist: `{"state":%}`, operation.Stop: `{"state":%}`, operation.Delete: `{"state":%}`,
}

// TestForgedStates hands a host states of others, or that were changed, over the server. Nothing happens, the answer
// is that to an unknown id, and each leaves one record.
func TestForgedStates(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	r := newRig(t, grantsToken)
	h := hosts(t, r.client, r.queue, t.TempDir(), r.log, nil, seldom)
	harness.Worker(t, r.plain, r.other(), worker.Options{}, func(w worker.Registry) { named(w, "Acting", acting) })
	actor := func(name, queue, path string) client.WorkflowRun {
		t.Helper()
		run, err := r.plain.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: r.queue + name, TaskQueue: r.other()}, "Acting", queue, path)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	// by has a workflow carry out an operation. An empty answer is success.
	by := func(run client.WorkflowRun) func(operation.Name, json.RawMessage) string {
		return func(name operation.Name, args json.RawMessage) (answer string) {
			t.Helper()
			update, err := r.plain.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
				WorkflowID: run.GetID(), RunID: run.GetRunID(), UpdateName: "act", WaitForStage: client.WorkflowUpdateStageCompleted,
				Args: []any{r.queue, name.Activity("local"), args},
			})
			if err == nil {
				err = update.Get(ctx, &answer)
			}
			if err != nil {
				t.Fatal(err)
			}
			return answer
		}
	}
	alone := func(name operation.Name, args json.RawMessage) string {
		t.Helper()
		handle, err := r.plain.ExecuteActivity(ctx, client.StartActivityOptions{
			ID: harness.ID("alone"), TaskQueue: r.queue, StartToCloseTimeout: 10 * time.Second, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
		}, name.Activity("local"), args)
		if err != nil {
			t.Fatal(err)
		}
		return answerOf(handle.Get(ctx, nil))
	}

	path := filepath.Join(t.TempDir(), "pids")
	owner, stranger := actor("-owner", r.queue, path), actor("-stranger", "", "")
	pids := lingers(ctx, t, owner, path)
	state := stateOf(ctx, t, r.plain, owner)
	// The first run of this one has made a sandbox, and has ended.
	earlier := actor("-reused", r.queue, "")
	if answer := by(earlier)(operation.Running, arguments(t, `{"state":%}`, stateOf(ctx, t, r.plain, earlier))); answer != "" {
		t.Fatalf("the owner of a session is answered %s: the test shows nothing", answer)
	}
	left := stateOf(ctx, t, r.plain, earlier)
	if err := r.plain.SignalWorkflow(ctx, earlier.GetID(), earlier.GetRunID(), "end", nil); err != nil {
		t.Fatal(err)
	}
	if err := earlier.Get(ctx, nil); err != nil {
		t.Fatal(err)
	}

	victim := t.TempDir()
	if err := os.WriteFile(filepath.Join(victim, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	everything := func() map[string]string {
		all := map[string]string{}
		for _, dir := range []string{h.sandboxes, h.sessions, victim} {
			for _, f := range files(t, dir, dir) {
				all[f.Where] = string(f.Data)
			}
		}
		return all
	}
	unknown := "" // the answer to an unknown id
	for _, tc := range []struct {
		name   string
		act    func(operation.Name, json.RawMessage) string
		state  sandbox.SessionState
		change func(map[string]any)
		// used is true where what only ends something may come with less than the state.
		used   bool
		detail string
	}{
		{"unknown id", by(owner), state, func(m map[string]any) {
			m["session_id"] = "5b8f7c1e-2222-4333-8444-555555555555"
		}, false, "no such session"},
		{"root, owned", by(owner), state, func(m map[string]any) {
			m["manifest"].(map[string]any)["root"], m["workspace_root_owned"] = victim, true
		}, false, "the state was changed: manifest.root"},
		{"base path", by(owner), state, func(m map[string]any) {
			m["snapshot"] = map[string]any{"type": "local", "id": "x", "base_path": victim}
		}, false, "the state was changed: snapshot"},
		{"container", by(owner), state, func(m map[string]any) {
			m["type"], m["image"], m["container_id"] = "docker", "x", "4f1d0c"
		}, false, "the state was changed: type"},
		{"manifest", by(owner), state, func(m map[string]any) {
			m["manifest"].(map[string]any)["environment"] = map[string]any{"value": map[string]any{}}
		}, true, "the state was changed: manifest"},
		{"foreign workflow", by(stranger), state, nil, false, "the session belongs to another workflow"},
		{"standalone activity", alone, state, nil, false, "an activity without a workflow owns no session"},
		{"reused workflow id", by(actor("-reused", "", "")), left, nil, false, "the session belongs to another workflow"},
	} {
		t.Run(tc.name, func(t *testing.T) { //nolint:paralleltest // one after the other, on the same sessions
			m := tc.state.ToMap()
			if tc.change != nil {
				tc.change(m)
			}
			before := everything()
			for _, name := range slices.Sorted(maps.Keys(attempts)) {
				if tc.used && name.CleanUp() {
					continue
				}
				known := len(h.denied.all())
				answer := tc.act(name, arguments(t, attempts[name], m))
				if unknown == "" {
					unknown = answer
				}
				if answer != unknown || !strings.HasPrefix(answer, sandboxhost.ErrorTypeNotHere) {
					t.Errorf("%s: answered %q, an unknown id is answered %q", name, answer, unknown)
				}
				// The host waits for no sink, so the record may come after the answer.
				if err := harness.Eventually(ctx, func() (bool, error) { return len(h.denied.all()) > known, nil }); err != nil {
					t.Fatalf("%s: no record, %v", name, err)
				}
				if got := h.denied.all()[known:]; len(got) != 1 || got[0].Key != m["session_id"] || got[0].Detail != tc.detail || got[0].Activity != name.Activity("local") {
					t.Errorf("%s: %d records, the first is %q of %s", name, len(got), got[0].Detail, got[0].Activity)
				}
			}
			if diff := cmp.Diff(before, everything()); diff != "" {
				t.Errorf("effects (-before +after):\n%s", diff)
			}
			if got := alive(pids); len(got) != len(pids) {
				t.Errorf("of the processes %v only %v are alive", pids, got)
			}
		})
	}
	if answer := by(owner)(operation.Delete, arguments(t, `{"state":%}`, state)); answer != "" {
		t.Errorf("the owner is answered %q", answer)
	}
	wantEnded(ctx, t, pids)
}

// answerOf is what the error of an activity says, empty if there is none.
func answerOf(err error) string {
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return app.Error()
	}
	return typeOf(err)
}

// stateOf is the state that a workflow tells, once it has one.
func stateOf(ctx context.Context, t *testing.T, c client.Client, run client.WorkflowRun) sandbox.SessionState {
	t.Helper()
	var state *sandbox.SessionState
	err := harness.Eventually(ctx, func() (bool, error) {
		answer, err := c.QueryWorkflow(ctx, run.GetID(), run.GetRunID(), "state")
		if err != nil {
			return false, nil //nolint:nilerr // asked again: a run that has just begun has no handler
		}
		err = answer.Get(&state)
		return state != nil, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return *state
}

// arguments are those of a pattern with a state in it.
func arguments(t *testing.T, pattern string, state any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(state)
	if err != nil {
		t.Fatal(err)
	}
	return json.RawMessage(strings.Replace(pattern, "%", string(data), 1))
}
