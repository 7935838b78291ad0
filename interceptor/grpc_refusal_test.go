package interceptor_test

import (
	"context"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// TestIdentifiersAreNotSentByTheConnection: of a request that begins something
// nothing is sent when a name in it holds a value, also past every interceptor.
func TestIdentifiersAreNotSentByTheConnection(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	service, f := dial(t, opts, newCounters())
	for name, req := range map[string]*workflowservice.StartWorkflowExecutionRequest{
		"id":        {WorkflowId: "run-" + canary},
		"type":      {WorkflowType: &commonpb.WorkflowType{Name: canary}},
		"identity":  {Identity: canary},
		"memo key":  {Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{canary: {}}}},
		"namespace": {Namespace: canary},
	} {
		_, err := service.StartWorkflowExecution(t.Context(), req)
		if status.Code(err) != codes.FailedPrecondition || !strings.HasPrefix(status.Convert(err).Message(), guard.ErrorTypePolicyViolation) || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", name, err)
		}
		if f.got != nil {
			t.Errorf("%s: the server got a request", name)
		}
	}
}

// TestCodecOfTheConnection: what a codec of the connection is about to encrypt is
// looked at before it does.
func TestCodecOfTheConnection(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	p, err := guard.NewPlugin(opts)
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	encrypting := func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, o ...grpc.CallOption) error {
		if r, ok := req.(*workflowservice.StartWorkflowExecutionRequest); ok {
			seen = append(seen, string(r.GetInput().GetPayloads()[0].GetData()))
			r.Input, r.RequestId = nil, "added "+canary
		}
		return invoke(ctx, method, req, reply, cc, o...)
	}
	c, f := dialClient(t, client.Options{Plugins: []client.Plugin{p}, ConnectionOptions: client.ConnectionOptions{
		DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(encrypting)},
	}})
	_, err = c.WorkflowService().StartWorkflowExecution(t.Context(), &workflowservice.StartWorkflowExecutionRequest{Input: jsonPayloads(t, "with "+canary)})
	if err == nil || f.got != nil {
		t.Errorf("what the user's interceptor added was sent: %v, %v", f.got, err)
	}
	if len(seen) != 1 || seen[0] != `"with `+nameless+`"` {
		t.Errorf("the user's interceptor saw %q", seen)
	}
}
