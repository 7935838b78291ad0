package harness

import (
	"fmt"
	"maps"
	"slices"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
)

// Count counts the events of a history by type.
func Count(h *historypb.History) map[enumspb.EventType]int {
	counts := map[enumspb.EventType]int{}
	for _, e := range h.GetEvents() {
		counts[e.GetEventType()]++
	}
	return counts
}

// CountSteady is Count without the events of ordinary workflow tasks, whose
// number depends on whether two messages arrived together or apart, of those that
// timed out, which FailedTasks tells apart, and of those that were overtaken.
// Other failed ones are counted. Two runs of the same code over the same messages
// have equal steady counts, unless the code itself lets two things race: then
// name the types of their events.
func CountSteady(h *historypb.History, racing ...enumspb.EventType) map[string]int {
	steady := map[string]int{}
	counts := Count(h)
	for _, e := range h.GetEvents() {
		if overtaken(e) {
			counts[e.GetEventType()]--
		}
	}
	for t, n := range counts {
		if slices.Contains(racing, t) {
			continue
		}
		switch t {
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED,
			enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED,
			enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED,
			enumspb.EVENT_TYPE_WORKFLOW_TASK_TIMED_OUT:
		default:
			if n > 0 {
				steady[t.String()] = n
			}
		}
	}
	return steady
}

// Markers counts the marker events of a history by the marker's name.
func Markers(h *historypb.History) map[string]int {
	counts := map[string]int{}
	for _, e := range h.GetEvents() {
		if a := e.GetMarkerRecordedEventAttributes(); a != nil {
			counts[a.GetMarkerName()]++
		}
	}
	return counts
}

// FailedTasks says which workflow tasks failed or timed out while they were
// worked on. Both mean that workflow code, or something around it, did not return
// in order. The event that a reset leaves behind is none of them, nor is a task
// that a busy worker did not take in time, or that was overtaken.
func FailedTasks(h *historypb.History) []string {
	var failed []string
	for _, e := range h.GetEvents() {
		if a := e.GetWorkflowTaskFailedEventAttributes(); a != nil && a.GetCause() != enumspb.WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW && !overtaken(e) {
			failed = append(failed, fmt.Sprintf("event %d: %v: %s", e.GetEventId(), a.GetCause(), a.GetFailure().GetMessage()))
		}
		if a := e.GetWorkflowTaskTimedOutEventAttributes(); a != nil && a.GetTimeoutType() != enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START {
			failed = append(failed, fmt.Sprintf("event %d: timed out: %v", e.GetEventId(), a.GetTimeoutType()))
		}
	}
	return failed
}

// overtaken reports whether an event is of a task that would have closed its run,
// when there was news for that: the server has the worker look at it first.
func overtaken(e *historypb.HistoryEvent) bool {
	return e.GetWorkflowTaskFailedEventAttributes().GetCause() == enumspb.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND
}

// Sum adds counts up, for a total over the runs of one program.
func Sum(counts ...map[string]int) map[string]int {
	total := map[string]int{}
	for _, c := range counts {
		for name := range maps.Keys(c) {
			total[name] += c[name]
		}
	}
	return total
}
