package integration_test

import (
	"errors"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// returning leaves a file in its sandbox, and reads it once it is told to go on.
func returning(ctx workflow.Context) (out string, err error) {
	box, err := boxes.Create(ctx, withToken())
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, box.Close(ctx)) }()
	if _, err := box.Exec(ctx, shell("echo kept > file")); err != nil {
		return "", err
	}
	workflow.GetSignalChannel(ctx, "go on").Receive(ctx, nil)
	result, err := box.Exec(ctx, shell("cat file"))
	return string(result.Stdout), err
}

// TestResetKeepsSandbox: a run that takes over after a reset owns the sandbox of the run before, and ends it.
func TestResetKeepsSandbox(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	r := newRig(t, grantsToken)
	h := hosts(t, r.client, r.queue, t.TempDir(), r.log, func(w worker.Registry) { named(w, "Returning", returning) })
	run := r.start(ctx, t, r.plain, "Returning")
	activities := 0
	point, err := harness.AwaitEvent(ctx, r.plain, run.GetID(), run.GetRunID(), func(e *historypb.HistoryEvent) bool {
		if e.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED {
			activities++
		}
		return activities == 3 && e.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED // it waits
	})
	if err != nil {
		t.Fatal(err)
	}
	answer, err := r.plain.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: server.Namespace(), WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: run.GetID(), RunId: run.GetRunID()},
		Reason: "once more", RequestId: harness.ID("reset"), WorkflowTaskFinishEventId: point.GetEventId(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.plain.SignalWorkflow(ctx, run.GetID(), answer.GetRunId(), "go on", nil); err != nil {
		t.Fatal(err)
	}
	var out string
	if err := r.plain.GetWorkflow(ctx, run.GetID(), answer.GetRunId()).Get(ctx, &out); err != nil || out != "kept\n" {
		t.Errorf("the next run read %q, %v", out, err)
	}
	h.wantNothingLeft(ctx, t)
	for _, record := range h.denied.all() {
		t.Errorf("refused: %+v", record)
	}
}
