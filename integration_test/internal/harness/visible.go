package harness

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/protobuf/proto"
)

// Blob is a piece of what the server shows, in the bytes that it sends.
type Blob struct {
	// Where says what it is, for people: "history event 5 ActivityTaskScheduled".
	Where string
	Data  []byte
}

// Visible collects everything that somebody with read access to the server can
// see of a run: every event of its history, its description with memo, search
// attributes and pending activities, and its row in the list of executions. It
// waits until the list has caught up, as that is written behind the history.
func Visible(ctx context.Context, c client.Client, namespace, workflowID, runID string) ([]Blob, error) {
	h, err := Fetch(ctx, c, workflowID, runID)
	if err != nil {
		return nil, err
	}
	var blobs []Blob
	for _, e := range h.GetEvents() {
		where := fmt.Sprintf("history event %d %s", e.GetEventId(), e.GetEventType())
		if blobs, err = appendProto(blobs, where, e); err != nil {
			return nil, err
		}
	}
	described, err := c.DescribeWorkflowExecution(ctx, workflowID, runID)
	if err != nil {
		return nil, fmt.Errorf("harness: describe %s: %w", workflowID, err)
	}
	if blobs, err = appendProto(blobs, "describe", described); err != nil {
		return nil, err
	}
	listed, err := listRow(ctx, c, namespace, workflowID, described.GetWorkflowExecutionInfo().GetExecution().GetRunId())
	if err != nil {
		return nil, err
	}
	return appendProto(blobs, "list", listed)
}

// VisibleFamily is Visible for every run of a family.
func VisibleFamily(ctx context.Context, c client.Client, namespace string, family []Run) ([]Blob, error) {
	var all []Blob
	for i, run := range family {
		blobs, err := Visible(ctx, c, namespace, run.WorkflowID, run.RunID)
		if err != nil {
			return nil, err
		}
		for _, b := range blobs {
			b.Where = fmt.Sprintf("run %d %s: %s", i+1, run.Type(), b.Where)
			all = append(all, b)
		}
	}
	return all, nil
}

// Data returns the bytes of blobs alone.
func Data(blobs []Blob) [][]byte {
	data := make([][]byte, len(blobs))
	for i, b := range blobs {
		data[i] = b.Data
	}
	return data
}

func appendProto(blobs []Blob, where string, m proto.Message) ([]Blob, error) {
	data, err := proto.Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("harness: encode %s: %w", where, err)
	}
	return append(blobs, Blob{Where: where, Data: data}), nil
}

// listRow waits for a run's row in the list of executions.
func listRow(ctx context.Context, c client.Client, namespace, workflowID, runID string) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	request := &workflowservice.ListWorkflowExecutionsRequest{
		Namespace: namespace,
		Query:     fmt.Sprintf("WorkflowId = '%s' AND RunId = '%s'", workflowID, runID),
	}
	var listed *workflowservice.ListWorkflowExecutionsResponse
	err := Eventually(ctx, func() (bool, error) {
		var err error
		listed, err = c.ListWorkflow(ctx, request)
		return len(listed.GetExecutions()) > 0, err
	})
	if err != nil {
		return nil, fmt.Errorf("harness: list %s: %w", workflowID, err)
	}
	return listed, nil
}

// Eventually asks again soon at first and then less and less often.
const (
	firstPoll = 10 * time.Millisecond
	lastPoll  = 320 * time.Millisecond
)

// Eventually asks until the answer is yes, an error, or ctx ends. It is for
// what the server writes behind the history: visibility, schedules.
func Eventually(ctx context.Context, ask func() (bool, error)) error {
	timer := time.NewTimer(firstPoll)
	defer timer.Stop()
	for wait := firstPoll; ; wait = min(2*wait, lastPoll) {
		ok, err := ask()
		if ok || err != nil {
			return err
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return fmt.Errorf("harness: condition was not met: %w", ctx.Err())
		case <-timer.C:
		}
	}
}
