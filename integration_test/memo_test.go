package integration_test

import (
	"errors"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// note is what an outage of the encryption below meets.
type note struct{ Text string }

// outage is a converter whose encryption fails for notes. The SDK then encodes a
// memo with its default converter, in plain text.
type outage struct{ converter.DataConverter }

func (o outage) ToPayload(v any) (*commonpb.Payload, error) {
	if _, isNote := v.(note); isNote {
		return nil, errors.New("no key")
	}
	return o.DataConverter.ToPayload(v)
}

func noting(ctx workflow.Context, text string) error {
	return workflow.UpsertMemo(ctx, map[string]any{"second": note{"with " + text}})
}

// TestMemoWhenEncryptionFails: what the SDK writes into a memo past a converter that
// fails is hidden by the net behind it.
func TestMemoWhenEncryptionFails(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	tap := &interceptortest.Tap{}
	r := newRig(t, "mode: report\nliterals: \"off\"\n", func(r *rig) { r.options.Hidden = hiding(t, r.secret) })
	c := server.Dial(t, client.Options{
		Logger: r.log, DataConverter: outage{converter.GetDefaultDataConverter()}, Plugins: []client.Plugin{plugin(t, r.options)},
		ConnectionOptions: client.ConnectionOptions{DialOptions: tap.DialOptions()},
	})
	harness.Worker(t, c, r.queue, worker.Options{}, func(w worker.Registry) {
		// The text comes from the worker: as an argument it would be hidden before.
		w.RegisterWorkflowWithOptions(func(ctx workflow.Context) error { return noting(ctx, r.secret) }, workflow.RegisterOptions{Name: "Noting"})
	})
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: r.queue, TaskQueue: r.queue, Memo: map[string]any{"first": note{"with " + r.secret}}}, "Noting")
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Get(ctx, nil); err != nil {
		t.Fatal(err)
	}
	interceptortest.AssertHistoryClean(t, r.plain, interceptortest.Options{Tap: tap, Workflows: []workflow.Execution{{ID: r.queue}}}, r.secret)
	described, err := r.plain.DescribeWorkflowExecution(ctx, r.queue, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"first", "second"} {
		var got note
		err := converter.GetDefaultDataConverter().FromPayload(described.GetWorkflowExecutionInfo().GetMemo().GetFields()[key], &got)
		if err != nil || got.Text != "with [redacted]" {
			t.Errorf("%s: %q, %v", key, got.Text, err)
		}
	}
}

// hiding returns a set that knows a value from the beginning.
func hiding(t *testing.T, value string) *redact.Set {
	t.Helper()
	hidden := redact.NewSet()
	if err := hidden.Add(deploy, value); err != nil {
		t.Fatal(err)
	}
	return hidden
}
