package main

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	namespacepb "go.temporal.io/api/namespace/v1"
	schedulepb "go.temporal.io/api/schedule/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// temporal stands for a server: two workflows on two pages, each with a history of
// two pages, and a schedule.
type temporal struct {
	workflowservice.UnimplementedWorkflowServiceServer
	broken    error  // of every history
	onHistory func() // is called before a history is returned
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

func (*temporal) CountWorkflowExecutions(context.Context, *workflowservice.CountWorkflowExecutionsRequest) (*workflowservice.CountWorkflowExecutionsResponse, error) {
	return &workflowservice.CountWorkflowExecutionsResponse{Count: 2}, nil
}

func (*temporal) ListWorkflowExecutions(_ context.Context, in *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	row := func(id string) []*workflowpb.WorkflowExecutionInfo {
		return []*workflowpb.WorkflowExecutionInfo{{Execution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: "run"}, Type: &commonpb.WorkflowType{Name: "Release"}}}
	}
	if len(in.GetNextPageToken()) == 0 {
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
	if s.broken != nil {
		return nil, s.broken
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

func (*temporal) ListSchedules(context.Context, *workflowservice.ListSchedulesRequest) (*workflowservice.ListSchedulesResponse, error) {
	return &workflowservice.ListSchedulesResponse{Schedules: []*schedulepb.ScheduleListEntry{{ScheduleId: "nightly"}, {ScheduleId: "deleted"}}}, nil
}

func (*temporal) DescribeSchedule(_ context.Context, in *workflowservice.DescribeScheduleRequest) (*workflowservice.DescribeScheduleResponse, error) {
	if in.GetScheduleId() == "deleted" { // since it was listed
		return nil, status.Error(codes.NotFound, "no such schedule")
	}
	return &workflowservice.DescribeScheduleResponse{
		Schedule: &schedulepb.Schedule{Spec: &schedulepb.ScheduleSpec{}}, Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{"m": plain(`"` + githubToken + `"`)}},
	}, nil
}

// serve starts the server and returns its address.
func serve(t *testing.T, s *temporal) string {
	t.Helper()
	for _, name := range []string{"TEMPORAL_CONFIG_FILE", "TEMPORAL_PROFILE"} {
		t.Setenv(name, "")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer()
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

// sandboxguard runs a command and returns what it printed.
func sandboxguard(ctx context.Context, t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(ctx, args, strings.NewReader(""), &out, &errs)
	secretstest.AssertAbsent(t, []string{githubToken}, out.Bytes(), errs.Bytes())
	return code, out.String(), errs.String()
}

func TestScanOfANamespace(t *testing.T) {
	address := serve(t, &temporal{})
	code, stdout, stderr := sandboxguard(t.Context(), t, "scan", "--query", "", "--address", address, "--namespace", "orders")
	if code != exitFound || !strings.Contains(stderr, "scanned 2 of 2 workflows") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
	for _, want := range []string{
		"1 credential in 2 workflow runs (0 running) and 1 schedule: 4 events", "\n1. GitHub token", "7 times in 2 runs", "in 1 schedule",
		"describe Release memo/note", "WorkflowExecutionStarted Release input/0/token", "WorkflowExecutionCompleted Release result/0/token",
		"schedule nightly", "Release first, run run",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is not in\n%s", want, stdout)
		}
	}
	code, stdout, _ = sandboxguard(t.Context(), t, "scan", "--query", "", "--schedules=false", "--address", address)
	if code != exitFound || strings.Contains(stdout, "schedule") {
		t.Errorf("code %d without schedules:\n%s", code, stdout)
	}
}

// TestScanThatCannotReadAll: the server's words are not trusted to hold nothing.
func TestScanThatCannotReadAll(t *testing.T) {
	address := serve(t, &temporal{broken: status.Error(codes.PermissionDenied, "not with "+githubToken)})
	code, stdout, _ := sandboxguard(t.Context(), t, "scan", "--query", "x", "--address", address, "--allow-unscanned")
	if code != exitPartial || !strings.Contains(stdout, "1 credential in 2 workflow runs") || !strings.Contains(stdout, "history of workflow first") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
}

// TestScanThatIsInterrupted reports what there is until then.
func TestScanThatIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	address := serve(t, &temporal{onHistory: interrupt})
	code, stdout, _ := sandboxguard(ctx, t, "scan", "--query", "", "--address", address, "--workers", "1")
	if code != exitPartial || !strings.Contains(stdout, "1 credential in 1 workflow run") || !strings.Contains(stdout, "interrupted") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
}

// TestScanOfStandardInputIsInterrupted though nothing comes.
func TestScanOfStandardInputIsInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	reader, writer := net.Pipe()
	defer func() { _, _ = reader.Close(), writer.Close() }()
	var out, errs bytes.Buffer
	codes := make(chan int)
	go func() { codes <- run(ctx, []string{"scan"}, reader, &out, &errs) }()
	if _, err := writer.Write([]byte(`{"a":"` + githubToken + `"}`)); err != nil {
		t.Fatal(err)
	}
	interrupt()
	if code := <-codes; code != exitPartial || !strings.Contains(out.String(), "interrupted") {
		t.Errorf("code %d:\n%s", code, out.String())
	}
}

func TestScanWithoutAServer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, stdout, stderr := sandboxguard(ctx, t, "scan", "--query", "", "--address", "127.0.0.1:1")
	if code != exitPartial || stdout != "" || !strings.Contains(stderr, "no connection") {
		t.Errorf("code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	if code, _, stderr = sandboxguard(t.Context(), t, "scan", "--query", "", "file.json"); code != exitPartial || !strings.Contains(stderr, "either") {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestDoctorLooksAtTheServer(t *testing.T) {
	address := serve(t, &temporal{})
	policy := policyFile(t)
	code, stdout, _ := sandboxguard(t.Context(), t, "doctor", "--policy", policy, "--address", address, "--namespace", "orders")
	if code != exitOK || !strings.Contains(stdout, "reached, version 1.2.3") || !strings.Contains(stdout, "namespace orders: exists, keeps closed workflows for 72h") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
	code, stdout, _ = sandboxguard(t.Context(), t, "doctor", "--policy", policy, "--address", address, "--namespace", "other")
	if code != exitFound || !strings.Contains(stdout, "fail  namespace other") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code, stdout, _ = sandboxguard(ctx, t, "doctor", "--policy", policy, "--address", "127.0.0.1:1")
	if code != exitFound || !strings.Contains(stdout, "fail  server 127.0.0.1:1: not reached") {
		t.Errorf("code %d:\n%s", code, stdout)
	}
}

func policyFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(path, []byte("version: 1\ndefault: {mode: report}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
