package main

import (
	"context"
	"net"
	"path"
	"sync/atomic"
	"testing"
	"time"

	activitypb "go.temporal.io/api/activity/v1"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	namespacepb "go.temporal.io/api/namespace/v1"
	schedulepb "go.temporal.io/api/schedule/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// temporal stands for a server: two workflows on two pages, each with a history of
// two pages, three schedules on two pages, of which one is deleted while it is being
// read, and two activities without a workflow on two pages.
type temporal struct {
	workflowservice.UnimplementedWorkflowServiceServer
	broken    map[string]error // by the method that fails
	busy      atomic.Int32     // how many calls are answered that there is no room for them
	unready   atomic.Int32     // how many questions for a schedule find its workflow without its first task
	onHistory func()           // is called before a history is returned
	packed    bool             // the memos of schedules are encoded
}

// intercept fails the methods that are broken.
func (s *temporal) intercept(ctx context.Context, in any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if s.busy.Add(-1) >= 0 {
		return nil, status.Error(codes.ResourceExhausted, "namespace rate limit exceeded")
	}
	if err := s.broken[path.Base(info.FullMethod)]; err != nil {
		return nil, err
	}
	return handle(ctx, in)
}

func (*temporal) GetSystemInfo(context.Context, *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, nil
}

func (*temporal) GetClusterInfo(context.Context, *workflowservice.GetClusterInfoRequest) (*workflowservice.GetClusterInfoResponse, error) {
	return &workflowservice.GetClusterInfoResponse{ServerVersion: "1.2.3"}, nil
}

func (*temporal) DescribeNamespace(_ context.Context, in *workflowservice.DescribeNamespaceRequest) (*workflowservice.DescribeNamespaceResponse, error) {
	if in.GetNamespace() != "orders" {
		return nil, status.Error(codes.NotFound, "no such namespace")
	}
	return &workflowservice.DescribeNamespaceResponse{Config: &namespacepb.NamespaceConfig{WorkflowExecutionRetentionTtl: durationpb.New(72 * time.Hour)}}, nil
}

// onlySecond is the one query that finds less than all.
const onlySecond = "WorkflowId = 'second'"

func (*temporal) CountWorkflowExecutions(_ context.Context, in *workflowservice.CountWorkflowExecutionsRequest) (*workflowservice.CountWorkflowExecutionsResponse, error) {
	if in.GetQuery() == onlySecond {
		return &workflowservice.CountWorkflowExecutionsResponse{Count: 1}, nil
	}
	return &workflowservice.CountWorkflowExecutionsResponse{Count: 2}, nil
}

func (*temporal) ListWorkflowExecutions(_ context.Context, in *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	row := func(id string) []*workflowpb.WorkflowExecutionInfo {
		return []*workflowpb.WorkflowExecutionInfo{{Execution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: "run"}, Type: &commonpb.WorkflowType{Name: "Release"}}}
	}
	if len(in.GetNextPageToken()) == 0 && in.GetQuery() != onlySecond {
		return &workflowservice.ListWorkflowExecutionsResponse{Executions: row("first"), NextPageToken: []byte("more")}, nil
	}
	return &workflowservice.ListWorkflowExecutionsResponse{Executions: row("second")}, nil
}

func (*temporal) DescribeWorkflowExecution(_ context.Context, in *workflowservice.DescribeWorkflowExecutionRequest) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{
		Execution: in.GetExecution(), Status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING,
		Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{"note": plain(`"` + githubToken + `"`)}},
	}}, nil
}

func plain(data string) *commonpb.Payload {
	return &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: []byte(data)}
}

func (s *temporal) GetWorkflowExecutionHistory(_ context.Context, in *workflowservice.GetWorkflowExecutionHistoryRequest) (*workflowservice.GetWorkflowExecutionHistoryResponse, error) {
	if s.onHistory != nil {
		s.onHistory()
	}
	input := &commonpb.Payloads{Payloads: []*commonpb.Payload{plain(`{"token":"` + githubToken + `"}`)}}
	if len(in.GetNextPageToken()) == 0 {
		return &workflowservice.GetWorkflowExecutionHistoryResponse{NextPageToken: []byte("more"), History: &historypb.History{Events: []*historypb.HistoryEvent{{
			EventId: 1, EventType: enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
			Attributes: &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{Input: input}},
		}}}}, nil
	}
	return &workflowservice.GetWorkflowExecutionHistoryResponse{History: &historypb.History{Events: []*historypb.HistoryEvent{{
		EventId: 2, EventType: enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
		Attributes: &historypb.HistoryEvent_WorkflowExecutionCompletedEventAttributes{WorkflowExecutionCompletedEventAttributes: &historypb.WorkflowExecutionCompletedEventAttributes{Result: input}},
	}}}}, nil
}

func (*temporal) ListSchedules(_ context.Context, in *workflowservice.ListSchedulesRequest) (*workflowservice.ListSchedulesResponse, error) {
	if len(in.GetNextPageToken()) == 0 {
		return &workflowservice.ListSchedulesResponse{
			Schedules: []*schedulepb.ScheduleListEntry{{ScheduleId: "nightly"}, {ScheduleId: "deleted"}}, NextPageToken: []byte("more"),
		}, nil
	}
	return &workflowservice.ListSchedulesResponse{Schedules: []*schedulepb.ScheduleListEntry{{ScheduleId: "weekly"}}}, nil
}

func (s *temporal) DescribeSchedule(_ context.Context, in *workflowservice.DescribeScheduleRequest) (*workflowservice.DescribeScheduleResponse, error) {
	if in.GetScheduleId() == "deleted" { // since it was listed
		return nil, status.Error(codes.NotFound, "no such schedule")
	}
	if s.unready.Add(-1) >= 0 {
		return nil, status.Error(codes.FailedPrecondition, "workflow is not ready")
	}
	note := plain(`"` + githubToken + `"`)
	if s.packed {
		note = sealed(note)
	}
	return &workflowservice.DescribeScheduleResponse{
		Schedule: &schedulepb.Schedule{Spec: &schedulepb.ScheduleSpec{}}, Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{"m": note}},
	}, nil
}

// ListActivityExecutions has one activity a page.
func (*temporal) ListActivityExecutions(_ context.Context, in *workflowservice.ListActivityExecutionsRequest) (*workflowservice.ListActivityExecutionsResponse, error) {
	row := func(id string) []*activitypb.ActivityExecutionListInfo {
		return []*activitypb.ActivityExecutionListInfo{{ActivityId: id, RunId: "run", ActivityType: &commonpb.ActivityType{Name: "PushTag"}}}
	}
	if len(in.GetNextPageToken()) == 0 {
		return &workflowservice.ListActivityExecutionsResponse{Executions: row("one"), NextPageToken: []byte("more")}, nil
	}
	return &workflowservice.ListActivityExecutionsResponse{Executions: row("two")}, nil
}

func (*temporal) DescribeActivityExecution(_ context.Context, in *workflowservice.DescribeActivityExecutionRequest) (*workflowservice.DescribeActivityExecutionResponse, error) {
	held := &commonpb.Payloads{Payloads: []*commonpb.Payload{plain(`{"token":"` + githubToken + `"}`)}}
	out := &workflowservice.DescribeActivityExecutionResponse{Info: &activitypb.ActivityExecutionInfo{
		ActivityId: in.GetActivityId(), RunId: in.GetRunId(), ActivityType: &commonpb.ActivityType{Name: "PushTag"},
		Status: enumspb.ACTIVITY_EXECUTION_STATUS_RUNNING, TaskQueue: "deploys",
	}}
	if in.GetIncludeInput() {
		out.Input = held
	}
	if in.GetIncludeOutcome() {
		out.Outcome = &activitypb.ActivityExecutionOutcome{Value: &activitypb.ActivityExecutionOutcome_Result{Result: held}}
	}
	if in.GetIncludeHeartbeatDetails() {
		out.Info.HeartbeatDetails = held
	}
	if in.GetIncludeLastFailure() {
		out.Info.LastFailure = &failurepb.Failure{Message: "not with " + githubToken}
	}
	return out, nil
}

// serve starts the server and returns its address.
func serve(t *testing.T, s *temporal) string {
	t.Helper()
	for _, name := range []string{"TEMPORAL_CONFIG_FILE", "TEMPORAL_PROFILE", "TEMPORAL_CODEC_ENDPOINT"} {
		t.Setenv(name, "")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(s.intercept))
	workflowservice.RegisterWorkflowServiceServer(server, s)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return listener.Addr().String()
}
