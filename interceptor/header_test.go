package interceptor_test

import (
	"context"
	"net"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// heading is an interceptor of somebody else's that writes a text into the headers
// of what a workflow or a client sends. No data converter ever encodes a header.
type heading struct {
	interceptor.InterceptorBase
	text string
}

func (h *heading) payload() *commonpb.Payload {
	p, err := converter.GetDefaultDataConverter().ToPayload(h.text)
	if err != nil {
		panic(err) // a string always encodes
	}
	return p
}

func (h *heading) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	i := &headingInbound{h: h}
	i.Next = next
	return i
}

func (h *heading) InterceptClient(next interceptor.ClientOutboundInterceptor) interceptor.ClientOutboundInterceptor {
	o := &headingClient{h: h}
	o.Next = next
	return o
}

type headingInbound struct {
	interceptor.WorkflowInboundInterceptorBase
	h *heading
}

func (i *headingInbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	o := &headingOutbound{h: i.h}
	o.Next = next
	return i.Next.Init(o)
}

type headingOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	h *heading
}

func (o *headingOutbound) ExecuteActivity(ctx workflow.Context, typ string, args ...any) workflow.Future {
	interceptor.WorkflowHeader(ctx)["trace"] = o.h.payload()
	return o.Next.ExecuteActivity(ctx, typ, args...)
}

func (o *headingOutbound) ExecuteChildWorkflow(ctx workflow.Context, typ string, args ...any) workflow.ChildWorkflowFuture {
	interceptor.WorkflowHeader(ctx)["trace"] = o.h.payload()
	return o.Next.ExecuteChildWorkflow(ctx, typ, args...)
}

func (o *headingOutbound) SignalExternalWorkflow(ctx workflow.Context, id, run, name string, arg any) workflow.Future {
	interceptor.WorkflowHeader(ctx)["trace"] = o.h.payload()
	return o.Next.SignalExternalWorkflow(ctx, id, run, name, arg)
}

func (o *headingOutbound) NewContinueAsNewError(ctx workflow.Context, wf any, args ...any) error {
	interceptor.WorkflowHeader(ctx)["trace"] = o.h.payload()
	return o.Next.NewContinueAsNewError(ctx, wf, args...)
}

func (o *headingOutbound) ExecuteNexusOperation(ctx workflow.Context, in interceptor.ExecuteNexusOperationInput) workflow.NexusOperationFuture {
	in.NexusHeader = map[string]string{"trace": o.h.text}
	return o.Next.ExecuteNexusOperation(ctx, in)
}

type headingClient struct {
	interceptor.ClientOutboundInterceptorBase
	h *heading
}

func (o *headingClient) ExecuteWorkflow(ctx context.Context, in *interceptor.ClientExecuteWorkflowInput) (client.WorkflowRun, error) {
	interceptor.Header(ctx)["trace"] = o.h.payload()
	return o.Next.ExecuteWorkflow(ctx, in)
}

// TestHeadersOfWorkflowCalls are judged with the call that carries them.
func TestHeadersOfWorkflowCalls(t *testing.T) {
	for text, refused := range map[string]bool{"trace-1": false, githubToken: true} {
		for _, w := range ways() {
			if w.name != "activity" && w.name != "child workflow" && w.name != "continue-as-new" && w.name != "signal external" && w.name != "Nexus operation" {
				continue
			}
			t.Run(w.name, func(t *testing.T) {
				env := environment(t, options(t, ""))
				env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{newGuard(t, options(t, "")), &heading{text: text}}})
				env.RegisterActivityWithOptions(func(context.Context, note) error { return nil }, named("Note"))
				env.RegisterWorkflowWithOptions(greeted, workflow.RegisterOptions{Name: "Child"})
				env.RegisterNexusService(noteService(t))
				env.OnSignalExternalWorkflow("default-test-namespace", "other", "", "greet", anything).Return(nil)
				var got error
				if err := run(t, env, func(ctx workflow.Context) error {
					got = w.send(workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{}), note{})
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				if guard.IsRefused(got) != refused {
					t.Fatalf("got %v", got)
				}
				if !refused {
					return
				}
				if path := guard.Violations(got)[0].Path; path != "/header/trace" && path != "/header trace" {
					t.Errorf("path %q", path)
				}
			})
		}
	}
}

// TestHeadersBesideNumbers: a call whose arguments hold no text at all may carry
// a text in its headers.
func TestHeadersBesideNumbers(t *testing.T) {
	env := environment(t, options(t, ""))
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{newGuard(t, options(t, "")), &heading{text: githubToken}}})
	env.RegisterActivityWithOptions(func(context.Context, int) error { t.Error("it ran"); return nil }, named("Count"))
	wantRules(t, run(t, env, func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(options60(ctx), "Count", 1).Get(ctx, nil)
	}), "literal-credential")
}

// TestHeadersOfClients: the same for a real client, whose request would carry them.
func TestHeadersOfClients(t *testing.T) {
	for text, refused := range map[string]bool{"trace-1": false, githubToken: true} {
		g, err := guard.NewClient(options(t, ""))
		if err != nil {
			t.Fatal(err)
		}
		c, f := dialClient(t, client.Options{
			Interceptors: []interceptor.ClientInterceptor{&heading{text: text}, g},
		})
		_, err = c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "w", TaskQueue: testQueue}, "Flow")
		if guard.IsRefused(err) != refused || !refused && err != nil {
			t.Errorf("%q: %v", text, err)
		}
		f.mu.Lock()
		if sent := f.got != nil; sent == refused {
			t.Errorf("%q: sent %v", text, sent)
		}
		f.mu.Unlock()
	}
}

// dialClient connects the SDK's own client to a frontend.
func dialClient(t *testing.T, opts client.Options) (client.Client, *frontend) {
	t.Helper()
	listener := bufconn.Listen(1 << 20)
	s, f := grpc.NewServer(), &frontend{}
	workflowservice.RegisterWorkflowServiceServer(s, f)
	served := make(chan struct{})
	go func() { defer close(served); _ = s.Serve(listener) }()
	opts.Logger, opts.HostPort = discard{}, "passthrough:///frontend"
	opts.ConnectionOptions.DialOptions = append(opts.ConnectionOptions.DialOptions,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	c, err := client.NewLazyClient(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		s.Stop()
		<-served
	})
	return c, f
}

// TestPluginOnARealClient: what the client sends is judged, and what comes past that
// is hidden on the way.
func TestPluginOnARealClient(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	p, err := guard.NewPlugin(opts)
	if err != nil {
		t.Fatal(err)
	}
	c, f := dialClient(t, client.Options{Plugins: []client.Plugin{p}})
	if _, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "w", TaskQueue: testQueue}, "Flow", githubToken); !guard.IsRefused(err) {
		t.Errorf("got %v", err)
	}
	if err := c.CancelWorkflow(t.Context(), "w", ""); err != nil {
		t.Error(err)
	}
	// A worker of this client is not polled for here: it is enough that it can be made.
	worker.New(c, testQueue, worker.Options{})
	// The raw service has no interceptor but the connection's.
	_, err = c.WorkflowService().StartWorkflowExecution(t.Context(), &workflowservice.StartWorkflowExecutionRequest{
		WorkflowId: "w", Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{"m": jsonPayloads(t, canary).GetPayloads()[0]}},
	})
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	got := f.got.(*workflowservice.StartWorkflowExecutionRequest)
	if data := string(got.GetMemo().GetFields()["m"].GetData()); data != `"`+nameless+`"` {
		t.Errorf("the server got %s", data)
	}
}
