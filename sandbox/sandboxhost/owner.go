package sandboxhost

import (
	"context"
	"errors"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// describeTimeout bounds one question to the server.
const describeTimeout = 10 * time.Second

// A describer is the part of the server that knows which workflows run.
type describer interface {
	DescribeWorkflowExecution(context.Context, *workflowservice.DescribeWorkflowExecutionRequest, ...grpc.CallOption) (*workflowservice.DescribeWorkflowExecutionResponse, error)
}

// chain is what the server knows of a workflow.
type chain struct {
	// first is the run with which the chain of runs began.
	first string
	// open is false if the last run of the chain has ended.
	open bool
}

var errNoServer = errors.New("sandboxhost: nobody can say who the caller is")

// chain asks the server about a run, or about the latest one of a workflow id if run is empty.
func (h *Host) chain(ctx context.Context, namespace, workflowID, run string) (chain, error) {
	server := h.server()
	if server == nil {
		return chain{}, errNoServer
	}
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	answer, err := server.DescribeWorkflowExecution(ctx, &workflowservice.DescribeWorkflowExecutionRequest{
		Namespace: namespace, Execution: &commonpb.WorkflowExecution{WorkflowId: workflowID, RunId: run},
	})
	var missing *serviceerror.NotFound
	if errors.As(err, &missing) {
		return chain{}, nil
	}
	if err != nil {
		return chain{}, err
	}
	info := answer.GetWorkflowExecutionInfo()
	c := chain{first: info.GetFirstRunId()}
	if c.first == "" { // a server that does not tell: each run stands for itself
		c.first = info.GetExecution().GetRunId()
	}
	switch info.GetStatus() {
	case enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED,
		enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:
		return c, nil
	}
	c.open = true // running, or about to go on in another run
	return c, nil
}

// owns reports whether the caller is the workflow that owns the session, in any run of its chain. An error says that
// it cannot be found out now.
func (s *session) owns(ctx context.Context, c caller) (bool, error) {
	s.mu.Lock()
	r := s.rec
	known := s.runs[c.run()]
	s.mu.Unlock()
	if c.info.Namespace != r.Namespace || c.workflowID() != r.WorkflowID {
		return false, nil
	}
	if known {
		return true, nil
	}
	of, err := s.h.chain(ctx, r.Namespace, r.WorkflowID, c.run())
	if err != nil {
		return false, &backend.Error{Code: backend.StartFailed, Retryable: true, Message: "it cannot be found out now whose session this is, nothing was done"}
	}
	if of.first != r.FirstRun {
		return false, nil
	}
	s.mu.Lock()
	s.runs[c.run()] = true
	s.mu.Unlock()
	return true, nil
}
