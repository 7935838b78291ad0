package harness

import (
	"context"
	"slices"

	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
)

// Run is one run of a workflow with its whole history.
type Run struct {
	WorkflowID, RunID string
	History           *historypb.History
}

// Type is the run's workflow type.
func (r Run) Type() string { return Started(r.History).GetWorkflowType().GetName() }

// Queue is the task queue that the run was started on.
func (r Run) Queue() string { return Started(r.History).GetTaskQueue().GetName() }

// Family reads the run and every run that grew out of it: the runs that it
// continued as, the attempts that it was retried as, and its children with
// theirs. The order follows from the histories alone, so that two executions
// of the same program can be compared run by run. An empty runID means the
// first run of the chain.
func Family(ctx context.Context, c client.Client, workflowID, runID string) ([]Run, error) {
	if runID == "" {
		h, err := Fetch(ctx, c, workflowID, "")
		if err != nil {
			return nil, err
		}
		runID = Started(h).GetFirstExecutionRunId()
	}
	var family []Run
	for pending := []*commonpb.WorkflowExecution{{WorkflowId: workflowID, RunId: runID}}; len(pending) > 0; {
		next := pending[0]
		pending = pending[1:]
		h, err := Fetch(ctx, c, next.GetWorkflowId(), next.GetRunId())
		if err != nil {
			return nil, err
		}
		family = append(family, Run{WorkflowID: next.GetWorkflowId(), RunID: next.GetRunId(), History: h})
		pending = append(pending, successors(next.GetWorkflowId(), h)...)
	}
	return family, nil
}

// successors names the runs that a history started. Children come in the order
// in which workflow code asked for them, not in the one in which they started.
func successors(workflowID string, h *historypb.History) []*commonpb.WorkflowExecution {
	type child struct {
		initiated int64
		execution *commonpb.WorkflowExecution
	}
	var children []child
	var found []*commonpb.WorkflowExecution
	same := func(runID string) {
		if runID != "" {
			found = append(found, &commonpb.WorkflowExecution{WorkflowId: workflowID, RunId: runID})
		}
	}
	for _, e := range h.GetEvents() {
		if a := e.GetChildWorkflowExecutionStartedEventAttributes(); a != nil {
			children = append(children, child{a.GetInitiatedEventId(), a.GetWorkflowExecution()})
		}
		same(e.GetWorkflowExecutionContinuedAsNewEventAttributes().GetNewExecutionRunId())
		same(e.GetWorkflowExecutionCompletedEventAttributes().GetNewExecutionRunId())
		same(e.GetWorkflowExecutionFailedEventAttributes().GetNewExecutionRunId())
		same(e.GetWorkflowExecutionTimedOutEventAttributes().GetNewExecutionRunId())
	}
	slices.SortFunc(children, func(a, b child) int { return int(a.initiated - b.initiated) })
	for _, c := range children {
		found = append(found, c.execution)
	}
	return found
}
