package harness_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

func failed(cause enumspb.WorkflowTaskFailedCause) *historypb.HistoryEvent {
	return &historypb.HistoryEvent{
		EventType: enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED,
		Attributes: &historypb.HistoryEvent_WorkflowTaskFailedEventAttributes{
			WorkflowTaskFailedEventAttributes: &historypb.WorkflowTaskFailedEventAttributes{Cause: cause, Failure: &failurepb.Failure{Message: "why"}},
		},
	}
}

func timedOut(kind enumspb.TimeoutType) *historypb.HistoryEvent {
	return &historypb.HistoryEvent{
		EventType: enumspb.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT,
		Attributes: &historypb.HistoryEvent_WorkflowTaskTimedOutEventAttributes{
			WorkflowTaskTimedOutEventAttributes: &historypb.WorkflowTaskTimedOutEventAttributes{TimeoutType: kind},
		},
	}
}

// TestFailedTasks tells tasks that went wrong from those that a busy machine or late news had tried again.
func TestFailedTasks(t *testing.T) {
	for name, c := range map[string]struct {
		event  *historypb.HistoryEvent
		failed []string
		steady map[string]int
	}{
		"code that changed": {
			failed(enumspb.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR),
			[]string{"event 0: NonDeterministicError: why"},
			map[string]int{"WorkflowTaskFailed": 1},
		},
		"news":       {failed(enumspb.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND), nil, map[string]int{}},
		"reset":      {failed(enumspb.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW), nil, map[string]int{"WorkflowTaskFailed": 1}},
		"hangs":      {timedOut(enumspb.TIMEOUT_TYPE_START_TO_CLOSE), []string{"event 0: timed out: StartToClose"}, map[string]int{}},
		"taken late": {timedOut(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START), nil, map[string]int{}},
	} {
		t.Run(name, func(t *testing.T) {
			h := &historypb.History{Events: []*historypb.HistoryEvent{c.event}}
			if diff := cmp.Diff(c.failed, harness.FailedTasks(h)); diff != "" {
				t.Errorf("failed tasks (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.steady, harness.CountSteady(h)); diff != "" {
				t.Errorf("steady count (-want +got):\n%s", diff)
			}
		})
	}
}
