package integration_test

import (
	"context"
	"testing"
	"time"

	commandpb "go.temporal.io/api/command/v1"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// mismatches plants in runs that somebody without the guard began, with other code
// than the worker that goes on with them: what the SDK says of the difference
// quotes the history.
func (p planter) mismatches(ctx context.Context, t *testing.T) {
	t.Helper()
	queue := harness.ID("census-mismatch")
	runs := []client.WorkflowRun{
		p.begun(ctx, t, queue, &commandpb.ScheduleActivityTaskCommandAttributes{
			ActivityId: p.text("non-determinism of an id"), ActivityType: &commonpb.ActivityType{Name: "Take"},
		}),
		p.begun(ctx, t, queue, &commandpb.ScheduleActivityTaskCommandAttributes{
			ActivityId: "result", ActivityType: &commonpb.ActivityType{Name: p.text("non-determinism of a type")},
			Header: &commonpb.Header{Fields: map[string]*commonpb.Payload{"label": p.payload(t, "non-determinism of a header")}},
		}),
	}
	for _, run := range runs {
		if err := p.c.plain.SignalWorkflow(ctx, run.GetID(), run.GetRunID(), "note", 1); err != nil {
			t.Fatal(err)
		}
	}
	w, err := harness.NewWorker(p.c.client, queue, worker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p.c.registerWorkflows(w)
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	for _, run := range runs {
		event, err := harness.AwaitEvent(ctx, p.c.plain, run.GetID(), run.GetRunID(), harness.OfType(enums.EVENT_TYPE_WORKFLOW_TASK_FAILED))
		if err != nil {
			t.Fatal(err)
		}
		if cause := event.GetWorkflowTaskFailedEventAttributes().GetCause(); cause != enums.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR {
			t.Errorf("the task failed for %v", cause)
		}
	}
}

// begun is a run whose first task scheduled another activity than its code does. No
// worker did that: those of one process share what they remember of a run.
func (p planter) begun(ctx context.Context, t *testing.T, queue string, scheduled *commandpb.ScheduleActivityTaskCommandAttributes) client.WorkflowRun {
	t.Helper()
	run, err := p.c.plain.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: p.id("mismatch"), TaskQueue: queue, WorkflowExecutionTimeout: time.Minute,
	}, "Pending")
	if err != nil {
		t.Fatal(err)
	}
	service := p.c.plain.WorkflowService()
	task, err := service.PollWorkflowTaskQueue(ctx, &workflowservice.PollWorkflowTaskQueueRequest{
		Namespace: server.Namespace(), TaskQueue: &taskqueuepb.TaskQueue{Name: queue}, Identity: "somebody",
	})
	if err != nil {
		t.Fatal(err)
	}
	scheduled.TaskQueue = &taskqueuepb.TaskQueue{Name: idle}
	scheduled.ScheduleToCloseTimeout = durationpb.New(time.Minute)
	_, err = service.RespondWorkflowTaskCompleted(ctx, &workflowservice.RespondWorkflowTaskCompletedRequest{
		Namespace: server.Namespace(), TaskToken: task.GetTaskToken(), Identity: "somebody",
		Commands: []*commandpb.Command{{
			CommandType: enums.COMMAND_TYPE_SCHEDULE_ACTIVITY_TASK,
			Attributes:  &commandpb.Command_ScheduleActivityTaskCommandAttributes{ScheduleActivityTaskCommandAttributes: scheduled},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return run
}
