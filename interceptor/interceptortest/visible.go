package interceptortest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"
)

// The list is asked again soon at first and then less and less often.
const (
	firstPoll = 10 * time.Millisecond
	lastPoll  = 320 * time.Millisecond
)

// visible is one message that the server shows to whoever may read it.
type visible struct {
	run     workflow.Execution
	what    string
	message proto.Message
}

func (v visible) where(f *Finder) string {
	return fmt.Sprintf("workflow %s, run %s: %s", f.show(v.run.ID), f.show(v.run.RunID), v.what)
}

// read collects what the server shows of the workflows that o asks for.
func read(ctx context.Context, c client.Client, o Options) ([]visible, error) {
	var all []visible
	if o.Workflows == nil {
		rows, err := everyRow(ctx, c, o.Tap)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			run := workflow.Execution{ID: row.GetExecution().GetWorkflowId(), RunID: row.GetExecution().GetRunId()}
			shown, _, err := show(ctx, c, run)
			if err != nil {
				return nil, err
			}
			all = append(append(all, shown...), visible{run, "list", row})
		}
		return all, nil
	}
	for _, run := range o.Workflows {
		whole := run.RunID == ""
		for more := true; more; {
			shown, continued, err := show(ctx, c, run)
			if err != nil {
				return nil, err
			}
			row, err := oneRow(ctx, c, shown[0].run)
			if err != nil {
				return nil, err
			}
			all = append(append(all, shown...), visible{shown[0].run, "list", row})
			run.RunID, more = continued, whole && continued != ""
		}
	}
	return all, nil
}

// show reads one run's description and history, in this order, and the id of the
// run that it continues.
func show(ctx context.Context, c client.Client, run workflow.Execution) (all []visible, continued string, err error) {
	described, err := c.DescribeWorkflowExecution(ctx, run.ID, run.RunID)
	if err != nil {
		return nil, "", fmt.Errorf("describe: %w", err)
	}
	run.RunID = described.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	all = append(all, visible{run, "describe", described})
	events := c.GetWorkflowHistory(ctx, run.ID, run.RunID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		var e *historypb.HistoryEvent
		if e, err = events.Next(); err != nil {
			return nil, "", fmt.Errorf("history: %w", err)
		}
		if started := e.GetWorkflowExecutionStartedEventAttributes(); started != nil {
			continued = started.GetContinuedExecutionRunId()
		}
		all = append(all, visible{run, fmt.Sprintf("history event %d %s", e.GetEventId(), e.GetEventType()), e})
	}
	return all, continued, nil
}

// everyRow lists the namespace, and again until it shows the runs that the tap
// knows.
func everyRow(ctx context.Context, c client.Client, tap *Tap) ([]*workflowpb.WorkflowExecutionInfo, error) {
	var rows []*workflowpb.WorkflowExecutionInfo
	err := eventually(ctx, func() (bool, error) {
		var err error
		if rows, err = list(ctx, c, ""); err != nil || tap == nil {
			return true, err
		}
		listed := map[string]bool{}
		for _, row := range rows {
			listed[row.GetExecution().GetRunId()] = true
		}
		return !slices.ContainsFunc(tap.known(), func(runID string) bool { return !listed[runID] }), nil
	})
	return rows, err
}

// oneRow lists one run, and again until it is there.
func oneRow(ctx context.Context, c client.Client, run workflow.Execution) (*workflowpb.WorkflowExecutionInfo, error) {
	var row *workflowpb.WorkflowExecutionInfo
	err := eventually(ctx, func() (bool, error) {
		// A run id is unique and needs no quoting, as a workflow id would.
		rows, err := list(ctx, c, fmt.Sprintf("RunId = '%s'", run.RunID))
		if err != nil || len(rows) == 0 {
			return false, err
		}
		row = rows[0]
		return true, nil
	})
	return row, err
}

func list(ctx context.Context, c client.Client, query string) ([]*workflowpb.WorkflowExecutionInfo, error) {
	var rows []*workflowpb.WorkflowExecutionInfo
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: query}
	for {
		page, err := c.ListWorkflow(ctx, request)
		if err != nil {
			return nil, fmt.Errorf("list: %w", err)
		}
		rows = append(rows, page.GetExecutions()...)
		if len(page.GetNextPageToken()) == 0 {
			return rows, nil
		}
		request.NextPageToken = page.GetNextPageToken()
	}
}

var errNotListed = errors.New("list: the server does not list every run yet")

// eventually asks until the answer is yes, an error, or ctx ends. A single question
// that a busy server did not answer in its own time is asked again.
func eventually(ctx context.Context, ask func() (bool, error)) error {
	timer := time.NewTimer(firstPoll)
	defer timer.Stop()
	for wait := firstPoll; ; wait = min(2*wait, lastPoll) {
		ok, err := ask()
		var late *serviceerror.DeadlineExceeded
		if err != nil && (ctx.Err() != nil || !errors.As(err, &late) && !errors.Is(err, context.DeadlineExceeded)) {
			return err
		}
		if err == nil && ok {
			return nil
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return errNotListed
		case <-timer.C:
		}
	}
}
