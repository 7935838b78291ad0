package interceptortest_test

import (
	"context"
	"net"
	"sync"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
)

// frontend is a Temporal server that keeps the workflows it was asked to start, and
// lists each only when it is asked the second time.
type frontend struct {
	workflowservice.UnimplementedWorkflowServiceServer
	mu      sync.Mutex
	started []*workflowservice.StartWorkflowExecutionRequest
	lists   int
	// late fails the first list instead.
	late bool
	// broken fails every description with a text of its own.
	broken string
}

func (f *frontend) StartWorkflowExecution(_ context.Context, r *workflowservice.StartWorkflowExecutionRequest) (*workflowservice.StartWorkflowExecutionResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.started = append(f.started, r)
	return &workflowservice.StartWorkflowExecutionResponse{RunId: "run-of-" + r.GetWorkflowId()}, nil
}

func (f *frontend) info(r *workflowservice.StartWorkflowExecutionRequest) *workflowpb.WorkflowExecutionInfo {
	return &workflowpb.WorkflowExecutionInfo{
		Execution: &commonpb.WorkflowExecution{WorkflowId: r.GetWorkflowId(), RunId: "run-of-" + r.GetWorkflowId()},
		Memo:      r.GetMemo(),
	}
}

func (f *frontend) DescribeWorkflowExecution(_ context.Context, r *workflowservice.DescribeWorkflowExecutionRequest) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range f.started {
		if f.broken == "" && s.GetWorkflowId() == r.GetExecution().GetWorkflowId() {
			return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: f.info(s)}, nil
		}
	}
	return nil, status.Error(codes.NotFound, "no such workflow "+f.broken)
}

func (f *frontend) ListWorkflowExecutions(_ context.Context, r *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	rows := &workflowservice.ListWorkflowExecutionsResponse{}
	if f.lists++; f.lists == 1 {
		if f.late {
			return nil, status.Error(codes.DeadlineExceeded, "too busy")
		}
		return rows, nil
	}
	// One row a page: the second is asked for by a token.
	for i, s := range f.started {
		if r.GetQuery() != "" && r.GetQuery() != "RunId = 'run-of-"+s.GetWorkflowId()+"'" || i != len(r.GetNextPageToken()) && r.GetQuery() == "" {
			continue
		}
		rows.Executions = append(rows.Executions, f.info(s))
		if r.GetQuery() == "" && i+1 < len(f.started) {
			rows.NextPageToken = make([]byte, i+1)
		}
	}
	return rows, nil
}

func (f *frontend) GetWorkflowExecutionHistory(_ context.Context, r *workflowservice.GetWorkflowExecutionHistoryRequest) (*workflowservice.GetWorkflowExecutionHistoryResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := &historypb.History{}
	for _, s := range f.started {
		if s.GetWorkflowId() == r.GetExecution().GetWorkflowId() {
			h.Events = append(h.Events, &historypb.HistoryEvent{
				EventId: 1, EventType: 1,
				Attributes: &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
					WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{Input: s.GetInput()},
				},
			})
		}
	}
	return &workflowservice.GetWorkflowExecutionHistoryResponse{History: h}, nil
}

// dial connects a client to a frontend of its own and returns how to end both.
func dial(options client.Options) (client.Client, *frontend, func(), error) {
	listener := bufconn.Listen(1 << 20)
	s, f := grpc.NewServer(), &frontend{}
	workflowservice.RegisterWorkflowServiceServer(s, f)
	served := make(chan struct{})
	go func() { defer close(served); _ = s.Serve(listener) }()
	options.Logger, options.HostPort = quiet{}, "passthrough:///frontend"
	options.ConnectionOptions.DialOptions = append(options.ConnectionOptions.DialOptions,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	c, err := client.NewLazyClient(options)
	end := func() {
		if err == nil {
			c.Close()
		}
		s.Stop()
		<-served
	}
	return c, f, end, err
}

// connected is dial for a test.
func connected(t *testing.T, tap *interceptortest.Tap, options client.Options) (client.Client, *frontend) {
	t.Helper()
	options.ConnectionOptions.DialOptions = append(options.ConnectionOptions.DialOptions, tap.DialOptions()...)
	c, f, end, err := dial(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	return c, f
}

type quiet struct{}

var _ log.Logger = quiet{}

func (quiet) Debug(string, ...any) {}
func (quiet) Info(string, ...any)  {}
func (quiet) Warn(string, ...any)  {}
func (quiet) Error(string, ...any) {}
