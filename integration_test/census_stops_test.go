package integration_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// stops plants in what stops a workflow or sends it to nobody.
func (p planter) stops(ctx context.Context, t *testing.T, encoding string) {
	t.Helper()
	for _, program := range []struct{ workflowType, row string }{
		{"Ends", "workflow panic"},
		{"Ends", "continue-as-new type"},
		{"Ends", "continue-as-new task queue"},
		{"Names", "change id"},
		{"Names", "mutable side effect id"},
		{"Names", "activity fairness key"},
		{"Names", "child fairness key"},
		{"Names", "child search attribute key"},
		{"Names", "upserted search attribute key"},
		{"Names", "endpoint"},
	} {
		run, err := p.c.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: p.id("stop"), TaskQueue: p.c.queue, WorkflowExecutionTimeout: time.Minute,
		}, program.workflowType, encoding, program.row)
		if err != nil {
			t.Fatal(err)
		}
		event, err := harness.AwaitEvent(ctx, p.c.plain, run.GetID(), run.GetRunID(), func(e *historypb.HistoryEvent) bool {
			return slices.Contains(stopped, e.GetEventType())
		})
		if err != nil {
			t.Fatalf("%s: %v", program.row, err)
		}
		if event.GetEventType() == enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED {
			p.tried(program.row, run.Get(ctx, nil))
		}
	}
}

// stopped are the events that tell that a program of stops got as far as it can. A
// task that fails is tried again until the run times out.
var stopped = []enums.EventType{
	enums.EVENT_TYPE_WORKFLOW_TASK_FAILED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
	enums.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED, enums.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
}

// names plants in a name that workflow code cannot be told an error about.
func (c *census) names(ctx workflow.Context, encoding, row string) error {
	p := c.planter(encoding)
	defer func() {
		if r := recover(); r != nil {
			if err, ok := r.(error); ok {
				p.tried(row, err)
			}
			panic(r)
		}
	}()
	switch row {
	case "change id":
		workflow.GetVersion(ctx, p.text(row), workflow.DefaultVersion, 1)
	case "activity fairness key":
		// The server takes no long ones, and the task with it is lost.
		f := workflow.ExecuteActivity(workflow.WithPriority(surveyed(ctx), temporal.Priority{FairnessKey: p.text(row)}), "Take", 1)
		p.tried(row, f.Get(ctx, nil))
	case "child fairness key":
		p.tried(row, p.child(ctx, workflow.ChildWorkflowOptions{Priority: temporal.Priority{FairnessKey: p.text(row)}}))
	case "child search attribute key":
		p.tried(row, p.child(ctx, workflow.ChildWorkflowOptions{TypedSearchAttributes: temporal.NewSearchAttributes(unknown(p.text(row)))}))
	case "upserted search attribute key":
		p.tried(row, workflow.UpsertTypedSearchAttributes(ctx, unknown(p.text(row))))
	case "endpoint":
		p.tried(row, workflow.NewNexusClient(p.text(row), operationService).ExecuteOperation(ctx, "take", 1, workflow.NexusOperationOptions{}).Get(ctx, nil))
	case "mutable side effect id":
		workflow.MutableSideEffect(ctx, p.text(row), func(workflow.Context) any { return 1 }, func(_, _ any) bool { return false })
	}
	return nil
}

// child starts a workflow that nobody works on.
func (planter) child(ctx workflow.Context, o workflow.ChildWorkflowOptions) error {
	o.TaskQueue = idle
	return workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, o), "Sink").GetChildWorkflowExecution().Get(ctx, nil)
}

// unknown is a search attribute that the server does not know.
func unknown(key string) temporal.SearchAttributeUpdate {
	return temporal.NewSearchAttributeKeyKeyword(key).ValueSet("a")
}
