package integration_test

import (
	"context"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"google.golang.org/grpc/codes"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// idle is a queue that no worker serves: what is started there stays as it came.
const idle = "census-idle"

// refusedHere reports an error of a connection that sent nothing.
func refusedHere(err error) bool {
	if err == nil {
		return false
	}
	refused := serviceerror.ToStatus(err)
	return refused.Code() == codes.FailedPrecondition && strings.HasPrefix(refused.Message(), guard.ErrorTypePolicyViolation) ||
		strings.HasPrefix(err.Error(), "harness: dial") || strings.HasPrefix(err.Error(), "sandboxguard: worker not started")
}

// id names a workflow of a row.
func (p planter) id(name string) string {
	return harness.ID(p.c.queue + "-" + strings.ReplaceAll(name, ",", ""))
}

func (p planter) payload(t *testing.T, name string) *commonpb.Payload {
	t.Helper()
	payload, err := converter.GetDefaultDataConverter().ToPayload(p.text(name))
	if err != nil {
		t.Fatal(err)
	}
	return payload
}

// starts plants what a start carries.
func (p planter) starts(ctx context.Context, t *testing.T) {
	t.Helper()
	start := func(name string, change func(*client.StartWorkflowOptions) []any) {
		o := client.StartWorkflowOptions{ID: p.id(name), TaskQueue: idle, WorkflowExecutionTimeout: time.Minute}
		args := change(&o)
		_, err := p.c.client.ExecuteWorkflow(ctx, o, "Sink", args...)
		p.tried(name, err)
	}
	option := func(name string, set func(o *client.StartWorkflowOptions, text string)) {
		start(name, func(o *client.StartWorkflowOptions) []any { set(o, p.text(name)); return nil })
	}
	argument := func(name string, wrap func(text string) any) {
		start(name, func(*client.StartWorkflowOptions) []any { return []any{1, wrap(p.text(name))} })
	}
	argument("start args", func(text string) any { return text })
	argument("start args, nested", func(text string) any { return map[string]any{"a": []parcel{{Label: text}}} })
	argument("start args, bytes", func(text string) any { return []byte(text) })
	argument("start args, payload", func(string) any { return converter.NewRawValue(p.payload(t, "start args, payload")) })
	option("start memo", func(o *client.StartWorkflowOptions, text string) { o.Memo = map[string]any{"note": text} })
	option("start memo key", func(o *client.StartWorkflowOptions, text string) { o.Memo = map[string]any{text: 1} })
	option("start search attribute", func(o *client.StartWorkflowOptions, text string) {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(stage.ValueSet(text))
	})
	option("start search attribute, untyped", func(o *client.StartWorkflowOptions, text string) {
		o.SearchAttributes = map[string]any{stage.GetName(): text} //nolint:staticcheck // still in use
	})
	option("start summary", func(o *client.StartWorkflowOptions, text string) { o.StaticSummary = text })
	option("start details", func(o *client.StartWorkflowOptions, text string) { o.StaticDetails = text })
	option("workflow id", func(o *client.StartWorkflowOptions, text string) { o.ID = text })
	option("start search attribute key", func(o *client.StartWorkflowOptions, text string) {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(unknown(text))
	})
	option("start fairness key", func(o *client.StartWorkflowOptions, text string) { o.Priority.FairnessKey = text })
	option("start retry policy", func(o *client.StartWorkflowOptions, text string) { o.RetryPolicy = retryUnless(text) })
	option("start task queue", func(o *client.StartWorkflowOptions, text string) { o.TaskQueue = text })

	o := client.StartWorkflowOptions{TaskQueue: idle, WorkflowExecutionTimeout: time.Minute}
	_, err := p.c.client.ExecuteWorkflow(ctx, o, p.text("workflow type"))
	p.tried("workflow type", err)

	_, err = p.c.client.SignalWithStartWorkflow(ctx, p.id("s"), "note", 1, o, "Sink", p.text("signal-with-start args"))
	p.tried("signal-with-start args", err)
	_, err = p.c.client.SignalWithStartWorkflow(ctx, p.id("s"), "note", p.text("signal-with-start signal"), o, "Sink")
	p.tried("signal-with-start signal", err)
	noted := o
	noted.Memo = map[string]any{"note": p.text("signal-with-start memo")}
	_, err = p.c.client.SignalWithStartWorkflow(ctx, p.id("s"), "note", 1, noted, "Sink")
	p.tried("signal-with-start memo", err)
	retried, fair := o, o
	retried.RetryPolicy = retryUnless(p.text("signal-with-start retry policy"))
	_, err = p.c.client.SignalWithStartWorkflow(ctx, p.id("s"), "note", 1, retried, "Sink")
	p.tried("signal-with-start retry policy", err)
	fair.Priority.FairnessKey = p.text("signal-with-start fairness key")
	_, err = p.c.client.SignalWithStartWorkflow(ctx, p.id("s"), "note", 1, fair, "Sink")
	p.tried("signal-with-start fairness key", err)
}

// retryUnless is a policy that names a type of errors.
func retryUnless(errorType string) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{MaximumAttempts: 1, NonRetryableErrorTypes: []string{errorType}}
}

// host plants what a running workflow is told and asked.
func (p planter) host(ctx context.Context, t *testing.T, encoding string) {
	t.Helper()
	c, id := p.c.client, p.id("host")
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: p.c.queue}, "Host", encoding)
	if err != nil {
		t.Fatal(err)
	}
	p.tried("client signal", c.SignalWorkflow(ctx, id, "", "note", p.text("client signal")))
	p.tried("client signal name", c.SignalWorkflow(ctx, id, "", p.text("client signal name"), 1))
	query := func(name, query string, arg any) {
		_, err := c.QueryWorkflow(ctx, id, "", query, arg)
		p.tried(name, err)
	}
	query("query args", "ask", p.text("query args"))
	query("query name", p.text("query name"), 1)
	for _, name := range []string{"query result", "query error", "query panic"} {
		p.until(ctx, t, name, func() { query(name, "ask", name) })
	}
	// It answers with the details and the descriptions of the handlers.
	if _, err := c.QueryWorkflow(ctx, id, "", "__temporal_workflow_metadata"); err != nil {
		t.Error(err)
	}
	update := func(name string, o client.UpdateWorkflowOptions) {
		o.WorkflowID, o.WaitForStage = id, client.WorkflowUpdateStageCompleted
		handle, err := c.UpdateWorkflow(ctx, o)
		if err == nil {
			err = handle.Get(ctx, nil)
		}
		p.tried(name, err)
	}
	update("update args", client.UpdateWorkflowOptions{UpdateName: "change", Args: []any{p.text("update args")}})
	update("update id", client.UpdateWorkflowOptions{UpdateName: "change", Args: []any{"nothing"}, UpdateID: p.text("update id")})
	update("update name", client.UpdateWorkflowOptions{UpdateName: p.text("update name")})
	for _, name := range []string{"update result", "update failure", "update rejection"} {
		update(name, client.UpdateWorkflowOptions{UpdateName: "change", Args: []any{name}})
	}
	p.updateWithStart(ctx, encoding)
	p.calls(ctx, t, id, encoding)
	_, err = c.WorkflowService().SignalWorkflowExecution(ctx, &workflowservice.SignalWorkflowExecutionRequest{
		Namespace: server.Namespace(), WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id}, SignalName: "note",
		Input: &commonpb.Payloads{Payloads: []*commonpb.Payload{p.payload(t, "raw signal")}},
	})
	p.tried("raw signal", err)
	if err := c.SignalWorkflow(ctx, id, "", "end", nil); err != nil {
		t.Error(err)
	}
	if err := run.Get(ctx, nil); err != nil {
		t.Errorf("the host ended with %v", err)
	}
}

func (p planter) updateWithStart(ctx context.Context, encoding string) {
	try := func(name string, arg any, o client.StartWorkflowOptions, more ...any) {
		id := p.id("u")
		o.ID, o.TaskQueue, o.WorkflowIDConflictPolicy = id, p.c.queue, enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL
		start := p.c.client.NewWithStartWorkflowOperation(o, "Host", append([]any{encoding}, more...)...)
		_, err := p.c.client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
			StartWorkflowOperation: start,
			UpdateOptions:          client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: "change", Args: []any{arg}, WaitForStage: client.WorkflowUpdateStageCompleted},
		})
		p.tried(name, err)
	}
	try("update-with-start start args", "nothing", client.StartWorkflowOptions{}, p.text("update-with-start start args"))
	try("update-with-start memo", "nothing", client.StartWorkflowOptions{Memo: map[string]any{"note": p.text("update-with-start memo")}})
	try("update-with-start retry policy", "nothing", client.StartWorkflowOptions{RetryPolicy: retryUnless(p.text("update-with-start retry policy"))})
	try("update-with-start update args", p.text("update-with-start update args"), client.StartWorkflowOptions{})
}

// notes plants what goes with the end of a workflow.
func (p planter) notes(ctx context.Context, t *testing.T) {
	t.Helper()
	run, err := p.c.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: idle, WorkflowExecutionTimeout: time.Minute}, "Sink")
	if err != nil {
		t.Fatal(err)
	}
	p.tried("cancel reason", p.c.client.CancelWorkflowWithOptions(ctx, client.CancelWorkflowOptions{WorkflowID: run.GetID(), Reason: p.text("cancel reason")}))
	p.tried("terminate reason", p.c.client.TerminateWorkflow(ctx, run.GetID(), "", p.text("terminate reason"), map[string]any{"v": p.text("terminate details")}))
}

// raws plants in calls that no interceptor of the SDK sees.
func (p planter) raws(ctx context.Context, t *testing.T) {
	t.Helper()
	raw := func(name, id string, input *commonpb.Payloads) {
		_, err := p.c.client.WorkflowService().StartWorkflowExecution(ctx, &workflowservice.StartWorkflowExecutionRequest{
			Namespace: server.Namespace(), WorkflowId: id, RequestId: harness.ID("request"), Input: input,
			WorkflowType: &commonpb.WorkflowType{Name: "Sink"}, TaskQueue: &taskqueuepb.TaskQueue{Name: idle},
		})
		p.tried(name, err)
	}
	raw("raw start", p.id("raw"), &commonpb.Payloads{Payloads: []*commonpb.Payload{p.payload(t, "raw start")}})
	raw("raw workflow id", p.text("raw workflow id"), nil)
	_, err := p.c.client.UpdateWorkflowExecutionOptions(ctx, client.UpdateWorkflowExecutionOptionsRequest{
		WorkflowId: p.id("none"),
		WorkflowExecutionOptionsChanges: client.WorkflowExecutionOptionsChanges{VersioningOverride: &client.VersioningOverrideChange{
			Value: &client.PinnedVersioningOverride{Version: worker.WorkerDeploymentVersion{DeploymentName: p.text("worker deployment of an override"), BuildID: "b"}},
		}},
	})
	p.tried("worker deployment of an override", err)
}

// before plants what stands in histories already: somebody without the guard
// started these runs, and the census asks what a worker writes again.
func (p planter) before(ctx context.Context, t *testing.T, encoding string) {
	t.Helper()
	start := func(change func(*client.StartWorkflowOptions)) client.WorkflowRun {
		o := client.StartWorkflowOptions{ID: p.id("before"), TaskQueue: p.c.queue}
		change(&o)
		run, err := p.c.plain.ExecuteWorkflow(ctx, o, "Ends", encoding, "continued")
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	for _, run := range []client.WorkflowRun{
		start(func(o *client.StartWorkflowOptions) { o.Memo = map[string]any{"note": p.text("carried memo")} }),
		start(func(o *client.StartWorkflowOptions) {
			o.TypedSearchAttributes = temporal.NewSearchAttributes(stage.ValueSet(p.text("carried search attribute")))
		}),
	} {
		if err := run.Get(ctx, nil); err != nil {
			t.Error(err)
		}
	}
	handle, err := p.c.plain.ExecuteActivity(ctx, client.StartActivityOptions{
		ID: p.id("decode"), TaskQueue: p.c.queue, ScheduleToCloseTimeout: 30 * time.Second, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
	}, "Clock", p.text("decode error"))
	if err != nil {
		t.Fatal(err)
	}
	if err := handle.Get(ctx, nil); err == nil {
		t.Error("a text was taken for a time")
	}
}

// stores plants in a payload that is too large for the server.
func (p planter) stores(ctx context.Context, t *testing.T) {
	t.Helper()
	c := p.c.dial(t, func(o *client.Options) {
		o.ExternalStorage = converter.ExternalStorage{Drivers: []converter.StorageDriver{p.c.store}, PayloadSizeThreshold: 1 << 10}
	})
	_, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: idle, WorkflowExecutionTimeout: time.Minute}, "Sink",
		strings.Repeat("filling ", 1<<8)+p.text("stored payload"))
	p.tried("stored payload", err)
}
