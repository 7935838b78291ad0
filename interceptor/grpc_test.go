package interceptor_test

import (
	"context"
	"encoding/base64"
	"net"
	"sync"
	"testing"
	"time"

	commandpb "go.temporal.io/api/command/v1"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	protocolpb "go.temporal.io/api/protocol/v1"
	querypb "go.temporal.io/api/query/v1"
	sdkpb "go.temporal.io/api/sdk/v1"
	updatepb "go.temporal.io/api/update/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// frontend is a Temporal server that keeps what it is sent.
type frontend struct {
	workflowservice.UnimplementedWorkflowServiceServer
	mu  sync.Mutex
	got proto.Message
}

func (f *frontend) RespondActivityTaskCompleted(_ context.Context, r *workflowservice.RespondActivityTaskCompletedRequest) (*workflowservice.RespondActivityTaskCompletedResponse, error) {
	f.keep(r)
	return &workflowservice.RespondActivityTaskCompletedResponse{}, nil
}

func (f *frontend) RespondActivityTaskFailed(_ context.Context, r *workflowservice.RespondActivityTaskFailedRequest) (*workflowservice.RespondActivityTaskFailedResponse, error) {
	f.keep(r)
	return &workflowservice.RespondActivityTaskFailedResponse{}, nil
}

func (f *frontend) RespondWorkflowTaskCompleted(_ context.Context, r *workflowservice.RespondWorkflowTaskCompletedRequest) (*workflowservice.RespondWorkflowTaskCompletedResponse, error) {
	f.keep(r)
	return &workflowservice.RespondWorkflowTaskCompletedResponse{}, nil
}

func (f *frontend) RespondQueryTaskCompleted(_ context.Context, r *workflowservice.RespondQueryTaskCompletedRequest) (*workflowservice.RespondQueryTaskCompletedResponse, error) {
	f.keep(r)
	return &workflowservice.RespondQueryTaskCompletedResponse{}, nil
}

func (f *frontend) StartWorkflowExecution(_ context.Context, r *workflowservice.StartWorkflowExecutionRequest) (*workflowservice.StartWorkflowExecutionResponse, error) {
	f.keep(r)
	return &workflowservice.StartWorkflowExecutionResponse{}, nil
}

func (f *frontend) RequestCancelWorkflowExecution(_ context.Context, r *workflowservice.RequestCancelWorkflowExecutionRequest) (*workflowservice.RequestCancelWorkflowExecutionResponse, error) {
	f.keep(r)
	return &workflowservice.RequestCancelWorkflowExecutionResponse{}, nil
}

func (f *frontend) keep(m proto.Message) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got = m
}

// counters is a metrics handler that a test reads.
type counters struct {
	mu   *sync.Mutex
	tags string
	seen map[string]int64
}

func newCounters() *counters { return &counters{mu: &sync.Mutex{}, seen: map[string]int64{}} }

func (c *counters) WithTags(tags map[string]string) client.MetricsHandler {
	text := c.tags
	order := []string{"net", "channel", "queue", "rule", "mode", "policy", hidden, canary}
	for _, key := range order {
		if v, ok := tags[key]; ok {
			text += " " + key + "=" + v
		}
	}
	return &counters{mu: c.mu, tags: text, seen: c.seen}
}

func (c *counters) Counter(name string) client.MetricsCounter { return counter{c, name} }
func (c *counters) Gauge(name string) client.MetricsGauge     { return gauge{c, name} }
func (c *counters) Timer(string) client.MetricsTimer          { return timer{} }

func (c *counters) count(name string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[name]
}

type counter struct {
	c    *counters
	name string
}

func (m counter) Inc(n int64) {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	m.c.seen[m.name+m.c.tags] += n
}

type gauge struct {
	c    *counters
	name string
}

func (m gauge) Update(v float64) {
	m.c.mu.Lock()
	defer m.c.mu.Unlock()
	m.c.seen[m.name+m.c.tags] = int64(v)
}

type timer struct{}

func (timer) Record(time.Duration) {}

// dial connects through the plugin's own dial options and returns the service and
// its server.
func dial(t *testing.T, opts guard.Options, metrics client.MetricsHandler) (workflowservice.WorkflowServiceClient, *frontend) {
	t.Helper()
	r := newRig(t, opts)
	r.client.MetricsHandler = metrics
	r.configure(t)
	listener := bufconn.Listen(1 << 20)
	server, f := grpc.NewServer(), &frontend{}
	workflowservice.RegisterWorkflowServiceServer(server, f)
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///frontend", append(r.client.ConnectionOptions.DialOptions,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		server.Stop()
		<-served
	})
	return workflowservice.NewWorkflowServiceClient(conn), f
}

func jsonPayloads(tb testing.TB, vs ...any) *commonpb.Payloads {
	tb.Helper()
	ps, err := converter.GetDefaultDataConverter().ToPayloads(vs...)
	if err != nil {
		tb.Fatal(err)
	}
	return ps
}

func packed(tb testing.TB, m proto.Message) *anypb.Any {
	tb.Helper()
	a, err := anypb.New(m)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// TestAlarm: what came past every hook is hidden on its way to the server, in every
// part of a request that holds data. Every hit counts as a defect.
func TestAlarm(t *testing.T) {
	leak := "with " + canary
	nested := base64.StdEncoding.EncodeToString([]byte("x" + leak))
	updated := packed(t, &updatepb.Response{Outcome: &updatepb.Outcome{Value: &updatepb.Outcome_Success{Success: jsonPayloads(t, leak)}}})
	rejected := packed(t, &updatepb.Rejection{Failure: &failurepb.Failure{Message: leak}})
	for _, tc := range []struct {
		name string
		req  proto.Message
	}{
		{"activity completed", &workflowservice.RespondActivityTaskCompletedRequest{Result: jsonPayloads(t, leak, map[string]any{"a": leak}, []byte(leak))}},
		{"binary result", &workflowservice.RespondActivityTaskCompletedRequest{Result: jsonPayloads(t, append([]byte{0xff}, canary...))}},
		{"activity failed", &workflowservice.RespondActivityTaskFailedRequest{
			Failure:              &failurepb.Failure{Message: leak, StackTrace: leak, Cause: &failurepb.Failure{Message: leak}},
			LastHeartbeatDetails: jsonPayloads(t, leak),
		}},
		{"query answered", &workflowservice.RespondQueryTaskCompletedRequest{QueryResult: jsonPayloads(t, leak), ErrorMessage: leak}},
		{"update in an Any", &workflowservice.RespondWorkflowTaskCompletedRequest{Messages: []*protocolpb.Message{{Body: updated}, {Body: rejected}}}},
		{"commands", &workflowservice.RespondWorkflowTaskCompletedRequest{Commands: []*commandpb.Command{
			{
				CommandType:  enumspb.COMMAND_TYPE_RECORD_MARKER,
				UserMetadata: &sdkpb.UserMetadata{Summary: jsonPayloads(t, leak).GetPayloads()[0]},
				Attributes: &commandpb.Command_RecordMarkerCommandAttributes{RecordMarkerCommandAttributes: &commandpb.RecordMarkerCommandAttributes{
					MarkerName: "SideEffect", Details: map[string]*commonpb.Payloads{"data": jsonPayloads(t, leak)}, Failure: &failurepb.Failure{Message: leak},
				}},
			},
			{Attributes: &commandpb.Command_ScheduleActivityTaskCommandAttributes{ScheduleActivityTaskCommandAttributes: &commandpb.ScheduleActivityTaskCommandAttributes{
				ActivityId: "1", Input: jsonPayloads(t, leak), Header: &commonpb.Header{Fields: map[string]*commonpb.Payload{"h": jsonPayloads(t, leak).GetPayloads()[0]}},
			}}},
		}, QueryResults: map[string]*querypb.WorkflowQueryResult{"q": {Answer: jsonPayloads(t, leak), ErrorMessage: leak}}}},
		{"start", &workflowservice.StartWorkflowExecutionRequest{
			WorkflowId: "w", Input: jsonPayloads(t, leak),
			Memo:             &commonpb.Memo{Fields: map[string]*commonpb.Payload{"m": jsonPayloads(t, leak).GetPayloads()[0]}},
			SearchAttributes: &commonpb.SearchAttributes{IndexedFields: map[string]*commonpb.Payload{"s": jsonPayloads(t, leak).GetPayloads()[0]}},
		}},
		{"cancel reason", &workflowservice.RequestCancelWorkflowExecutionRequest{Reason: leak}},
		{"payload within a payload", &workflowservice.RespondActivityTaskCompletedRequest{Result: jsonPayloads(t, map[string]any{"Payloads": []any{map[string]any{"data": nested}}})}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, "")
			opts.Hidden = knowing(t, canary)
			metrics := newCounters()
			service, f := dial(t, opts, metrics)
			before := proto.Clone(tc.req)
			call(t, service, tc.req)
			data, err := proto.Marshal(f.got)
			if err != nil {
				t.Fatal(err)
			}
			secretstest.AssertAbsent(t, []string{canary}, data)
			if !proto.Equal(before, tc.req) {
				t.Error("the caller's request was written to")
			}
			if n := metrics.count("sandboxguard_defects net=grpc"); n != 1 {
				t.Errorf("%d defects counted", n)
			}
		})
	}
}

func call(t *testing.T, service workflowservice.WorkflowServiceClient, req proto.Message) {
	t.Helper()
	ctx := t.Context()
	var err error
	switch r := req.(type) {
	case *workflowservice.RespondActivityTaskCompletedRequest:
		_, err = service.RespondActivityTaskCompleted(ctx, r)
	case *workflowservice.RespondActivityTaskFailedRequest:
		_, err = service.RespondActivityTaskFailed(ctx, r)
	case *workflowservice.RespondWorkflowTaskCompletedRequest:
		_, err = service.RespondWorkflowTaskCompleted(ctx, r)
	case *workflowservice.RespondQueryTaskCompletedRequest:
		_, err = service.RespondQueryTaskCompleted(ctx, r)
	case *workflowservice.StartWorkflowExecutionRequest:
		_, err = service.StartWorkflowExecution(ctx, r)
	case *workflowservice.RequestCancelWorkflowExecutionRequest:
		_, err = service.RequestCancelWorkflowExecution(ctx, r)
	}
	if err != nil {
		t.Fatalf("the alarm never refuses: %v", err)
	}
}

// TestAlarmLeavesTheRestAlone: a request without a hit arrives as it was, and so
// does one that the set knows nothing of.
func TestAlarmLeavesTheRestAlone(t *testing.T) {
	for _, known := range []bool{true, false} {
		opts := options(t, "")
		if known {
			opts.Hidden = knowing(t, canary)
		}
		metrics := newCounters()
		service, f := dial(t, opts, metrics)
		req := &workflowservice.StartWorkflowExecutionRequest{WorkflowId: "w", Input: jsonPayloads(t, "plain", []byte{1, 2, 0xff})}
		call(t, service, req)
		if !proto.Equal(req, f.got) || metrics.count("sandboxguard_defects net=grpc") != 0 {
			t.Errorf("the server got %v", f.got)
		}
	}
}

// TestAlarmNeverTouchesIdentifiers: an edited identifier breaks replay. What ends
// something goes out with it, and a worker's own calls too.
func TestAlarmNeverTouchesIdentifiers(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	metrics := newCounters()
	service, f := dial(t, opts, metrics)
	call(t, service, &workflowservice.RequestCancelWorkflowExecutionRequest{
		Namespace: canary, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: canary}, Identity: canary, RequestId: canary, Reason: "with " + canary,
	})
	want := &workflowservice.RequestCancelWorkflowExecutionRequest{
		Namespace: canary, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: canary}, Identity: canary, RequestId: canary, Reason: "with " + nameless,
	}
	if !proto.Equal(want, f.got) {
		t.Errorf("the server got %v", f.got)
	}
	call(t, service, &workflowservice.RespondActivityTaskCompletedRequest{Identity: canary, Result: jsonPayloads(t, "with "+canary)})
	got := f.got.(*workflowservice.RespondActivityTaskCompletedRequest)
	if data := string(got.GetResult().GetPayloads()[0].GetData()); got.GetIdentity() != canary || data != `"with `+nameless+`"` {
		t.Errorf("the server got %v", f.got)
	}
	if n := metrics.count("sandboxguard_defects net=grpc identifier"); n != 2 {
		t.Errorf("%d identifiers counted", n)
	}
}
