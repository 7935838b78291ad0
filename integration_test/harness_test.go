package integration_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// relay calls an activity, continues as new once and starts a child in its
// second run.
func relay(ctx workflow.Context, text string, last bool) (string, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
	var echoed string
	if err := workflow.ExecuteActivity(ctx, echo, text).Get(ctx, &echoed); err != nil {
		return "", err
	}
	if !last {
		return "", workflow.NewContinueAsNewError(ctx, relay, echoed, true)
	}
	var fromChild string
	err := workflow.ExecuteChildWorkflow(ctx, leaf, echoed).Get(ctx, &fromChild)
	return fromChild, err
}

func leaf(_ workflow.Context, text string) (string, error) { return text, nil }

func echo(_ context.Context, text string) (string, error) { return text, nil }

func registerRelay(r worker.Registry) {
	r.RegisterWorkflow(relay)
	r.RegisterWorkflow(leaf)
	r.RegisterActivity(echo)
}

func TestFamilyFollowsContinuationsAndChildren(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	c := server.Dial(t, client.Options{})
	queue := harness.Queue(t)
	harness.Worker(t, c, queue, worker.Options{}, registerRelay)

	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: queue, TaskQueue: queue, Memo: map[string]any{"note": "a memo that can be seen"}}, relay, "text that can be seen", false)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Get(ctx, nil); err != nil {
		t.Fatal(err)
	}
	family, err := harness.Family(ctx, c, queue, "")
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, r := range family {
		types = append(types, r.Type())
		if failed := harness.FailedTasks(r.History); failed != nil {
			t.Errorf("%s: failed workflow tasks: %q", r.Type(), failed)
		}
	}
	if diff := cmp.Diff([]string{"relay", "relay", "leaf"}, types); diff != "" {
		t.Errorf("family (-want +got):\n%s", diff)
	}

	for i, r := range family {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("run-%d.json", i))
		if err := harness.Save(path, r.History); err != nil {
			t.Fatal(err)
		}
		loaded, err := harness.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.History, loaded, protocmp.Transform()); diff != "" {
			t.Errorf("history changed on the way through its file (-want +got):\n%s", diff)
		}
		err = harness.Replay(loaded, harness.ReplayOptions{}, func(w worker.WorkflowRegistry) {
			w.RegisterWorkflow(relay)
			w.RegisterWorkflow(leaf)
		})
		if err != nil {
			t.Errorf("run %d does not replay: %v", i, err)
		}
		err = harness.Replay(loaded, harness.ReplayOptions{}, func(w worker.WorkflowRegistry) {
			w.RegisterWorkflowWithOptions(func(workflow.Context, string, bool) (string, error) {
				return "", temporal.NewApplicationError("another program", "Other")
			}, workflow.RegisterOptions{Name: "relay"})
			w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ string) (string, error) {
				return "", workflow.Sleep(ctx, time.Hour)
			}, workflow.RegisterOptions{Name: "leaf"})
		})
		if err == nil {
			t.Errorf("run %d replays against another program", i)
		}
	}

	blobs, err := harness.VisibleFamily(ctx, c, server.Namespace(), family)
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]bool{}
	for _, hit := range harness.Search("a memo that can be seen", blobs) {
		places[hit.Where] = true
	}
	for _, want := range []string{"run 1 relay: history event 1 WorkflowExecutionStarted", "run 1 relay: describe", "run 1 relay: list", "run 2 relay: describe"} {
		if !places[want] {
			t.Errorf("memo was not found in %q, only in %v", want, places)
		}
	}
	if hits := harness.Search("text that can be seen", blobs); len(hits) < 6 {
		t.Errorf("argument was found in %v, want input and result of three runs", hits)
	}
}

func TestAwaitEventReturnsTheEventAndStopsAtTheEnd(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	c := server.Dial(t, client.Options{})
	queue := harness.Queue(t)
	harness.Worker(t, c, queue, worker.Options{}, registerRelay)
	if _, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: queue, TaskQueue: queue}, leaf, "text"); err != nil {
		t.Fatal(err)
	}
	event, err := harness.AwaitEvent(ctx, c, queue, "", harness.OfType(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED))
	if err != nil || event.GetWorkflowExecutionCompletedEventAttributes() == nil {
		t.Errorf("AwaitEvent = %v, %v", event, err)
	}
	if _, err := harness.AwaitEvent(ctx, c, queue, "", func(*historypb.HistoryEvent) bool { return false }); err == nil {
		t.Error("AwaitEvent found an event that does not exist")
	}
}

func TestNewWorkerReportsARefusal(t *testing.T) {
	t.Parallel()
	refusal := errors.New("not on this queue")
	plugin, err := temporal.NewSimplePlugin(temporal.SimplePluginOptions{
		Name:            "refusing",
		ConfigureWorker: func(context.Context, worker.PluginConfigureWorkerOptions) error { return refusal },
	})
	if err != nil {
		t.Fatal(err)
	}
	c := server.Dial(t, client.Options{})
	if _, err := harness.NewWorker(c, harness.Queue(t), worker.Options{Plugins: []worker.Plugin{plugin}}); !errors.Is(err, refusal) {
		t.Errorf("NewWorker = %v, want the plugin's refusal", err)
	}
}

func TestSearchFindsEveryFormAndNothingElse(t *testing.T) {
	t.Parallel()
	const value = `q"7<Xw2\kP9/mR4&tY6`
	tests := []struct {
		name, text, form string
	}{
		{"as it is", "before " + value + " after", "raw"},
		{"a window of twelve bytes", "before " + value[4:16] + " after", "raw"},
		{"eleven bytes are too few", "before " + value[4:15] + " after", ""},
		{"escaped for JSON", `{"a":"q\"7\u003cXw2\\kP9/mR4\u0026tY6"}`, "json"},
		{"base64, first alignment", base64.StdEncoding.EncodeToString([]byte(value)), "base64"},
		{"base64, second alignment", base64.StdEncoding.EncodeToString([]byte("x" + value + "y")), "base64"},
		{"base64, third alignment", base64.URLEncoding.EncodeToString([]byte("xx" + value + "yy")), "base64"},
		{"something else", "an ordinary line of text", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found := map[string]bool{}
			for _, hit := range harness.Search(value, []harness.Blob{{Where: "here", Data: []byte(test.text)}}) {
				found[hit.Form] = true
			}
			if test.form == "" && len(found) > 0 {
				t.Errorf("found %v in text without the value", found)
			}
			if test.form != "" && !found[test.form] {
				t.Errorf("found %v, want %s", found, test.form)
			}
		})
	}
}
