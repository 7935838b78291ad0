package integration_test

import (
	"context"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

// labelledCalls are the calls of a client that have headers. A query has some, too.
var labelledCalls = []string{
	"start", "signal-with-start", "update-with-start", "client signal", "query", "update", "standalone", "schedule",
}

// calls plants in the headers of each call of a client. host is a workflow that
// answers.
func (p planter) calls(ctx context.Context, t *testing.T, host, encoding string) {
	t.Helper()
	for _, w := range writers {
		for _, name := range labelledCalls {
			row := name + w.row
			p.tried(row, p.call(context.WithValue(ctx, w.key, p.text(row)), name, host, encoding))
		}
	}
}

func (p planter) call(ctx context.Context, name, host, encoding string) error {
	c := p.c.client
	start := client.StartWorkflowOptions{ID: p.id("called"), TaskQueue: idle, WorkflowExecutionTimeout: time.Minute}
	update := client.UpdateWorkflowOptions{WorkflowID: host, UpdateName: "change", Args: []any{"nothing"}, WaitForStage: client.WorkflowUpdateStageCompleted}
	var err error
	switch name {
	case "start":
		_, err = c.ExecuteWorkflow(ctx, start, "Sink")
	case "signal-with-start":
		_, err = c.SignalWithStartWorkflow(ctx, start.ID, "note", 1, start, "Sink")
	case "update-with-start":
		start.TaskQueue, start.WorkflowIDConflictPolicy, update.WorkflowID = p.c.queue, enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL, start.ID
		_, err = c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
			StartWorkflowOperation: c.NewWithStartWorkflowOperation(start, "Host", encoding), UpdateOptions: update,
		})
	case "client signal":
		err = c.SignalWorkflow(ctx, host, "", "note", 1)
	case "query":
		_, err = c.QueryWorkflow(ctx, host, "", "ask", "nothing")
	case "update":
		_, err = c.UpdateWorkflow(ctx, update)
	case "standalone":
		_, err = c.ExecuteActivity(ctx, client.StartActivityOptions{ID: p.id("called"), TaskQueue: idle, ScheduleToCloseTimeout: time.Minute}, "Take", 1)
	case "schedule":
		_, err = c.ScheduleClient().Create(ctx, client.ScheduleOptions{
			ID: p.id("called"), Paused: true, Action: &client.ScheduleWorkflowAction{ID: start.ID, Workflow: "Sink", TaskQueue: idle},
		})
	}
	return err
}
