package integration_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nexus-rpc/sdk-go/nexus"
	commandpb "go.temporal.io/api/command/v1"
	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// nexusRows are the channels of Nexus operations. The embedded server has no port
// for them, so they are planted in the SDK's test environment, which sends no
// requests: what is searched is what the last interceptor hands to the SDK.
var nexusRows = []string{
	"operation input", "operation header", "operation summary", "operation name", "endpoint", "service",
	"handler result", "handler error", "operation error", "operation error cause",
}

// handed keeps what interceptors hand to the SDK, as messages.
type handed struct {
	interceptor.InterceptorBase
	messages []proto.Message
}

func (h *handed) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	i := &handedInbound{h: h}
	i.Next = next
	return i
}

type handedInbound struct {
	interceptor.WorkflowInboundInterceptorBase
	h *handed
}

func (i *handedInbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	o := &handedOutbound{h: i.h}
	o.Next = next
	return i.Next.Init(o)
}

type handedOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	h *handed
}

func (o *handedOutbound) ExecuteNexusOperation(ctx workflow.Context, in interceptor.ExecuteNexusOperationInput) workflow.NexusOperationFuture {
	name, _ := in.Operation.(string)
	o.h.messages = append(o.h.messages, &commandpb.ScheduleNexusOperationCommandAttributes{
		Endpoint: in.Client.Endpoint(), Service: in.Client.Service(), Operation: name, Input: encoded(in.Input), NexusHeader: in.NexusHeader,
	}, encoded(in.Options.Summary))
	return o.Next.ExecuteNexusOperation(ctx, in)
}

func encoded(v any) *commonpb.Payload {
	p, err := converter.GetDefaultDataConverter().ToPayload(v)
	if err != nil {
		panic(err)
	}
	return p
}

// operated plants one row and returns what came of it.
func operated(p planter, row string) func(workflow.Context) (any, error) {
	return func(ctx workflow.Context) (any, error) {
		endpoint, service, operation, input := "endpoint", "service", "take", any("nothing")
		o := workflow.NexusOperationOptions{}
		switch row {
		case "operation input":
			input = map[string]any{"v": p.text(row)}
		case "operation header":
			ctx = workflow.WithValue(ctx, labelKey{}, p.text(row))
		case "operation summary":
			o.Summary = p.text(row)
		case "operation name":
			operation = p.text(row)
		case "endpoint":
			endpoint = p.text(row)
		case "service":
			service = p.text(row)
		default:
			input = row
		}
		var result any
		err := workflow.NewNexusClient(endpoint, service).ExecuteOperation(ctx, operation, input, o).Get(ctx, &result)
		return result, err
	}
}

// answering is the handler of the worker.
func answering(p planter) nexus.Operation[any, any] {
	return nexus.NewSyncOperation("take", func(_ context.Context, in any, _ nexus.StartOperationOptions) (any, error) {
		row, _ := in.(string)
		switch row {
		case "handler result":
			return map[string]any{"v": p.text(row)}, nil
		case "handler error":
			return nil, nexus.NewHandlerErrorf(nexus.HandlerErrorTypeBadRequest, "failed with %s", p.text(row))
		case "operation error":
			return nil, nexus.NewOperationFailedErrorf("failed with %s", p.text(row))
		case "operation error cause":
			return nil, &nexus.OperationError{State: nexus.OperationStateFailed, Message: "failed", Cause: errors.New(p.text(row))}
		}
		return "nothing", nil
	})
}

// TestCensusOfNexus is the census for the channels of Nexus operations.
func TestCensusOfNexus(t *testing.T) {
	t.Parallel()
	for _, guarded := range []bool{false, true} {
		counts := map[string]int{}
		for _, e := range encodings {
			for i, name := range nexusRows {
				planted := newCell(i, row{name: name}, e)
				places := operateOnce(t, planter{cells: map[string]*cell{name: planted}}, planted, guarded)
				switch {
				case !planted.planted.Load():
					t.Errorf("%s, %s: was not planted", name, e.name)
				case guarded && len(places) > 0:
					t.Errorf("%s, %s: ARRIVED in %s", name, e.name, places[0])
				case !guarded && len(places) == 0:
					t.Errorf("%s, %s: was not found without the guard", name, e.name)
				case planted.refused.Load():
					counts["refused before send"]++
				case guarded:
					counts["removed"]++
				}
			}
		}
		t.Logf("Nexus, guarded %v: %d channels, %d cells: %v", guarded, len(nexusRows), len(nexusRows)*len(encodings), counts)
	}
}

// operateOnce runs one cell and returns where its value is in what was handed to
// the SDK and in what the caller got back, which is what its history would hold.
func operateOnce(t *testing.T, p planter, c *cell, guarded bool) []interceptortest.Place {
	t.Helper()
	seen := &handed{}
	list := []interceptor.WorkerInterceptor{seen}
	if guarded {
		hidden := redact.NewSet()
		if err := hidden.Add(c.name, c.value); err != nil {
			t.Fatal(err)
		}
		g, err := guard.New(guard.Options{Policies: policies(t, "version: 1\ndefault: {mode: enforce, literals: off}\n"), Hidden: hidden, Audit: &records{}})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, g)
	}
	service := nexus.NewService("service")
	if err := service.Register(answering(p)); err != nil {
		t.Fatal(err)
	}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(harness.Discard())
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: append(list, &labels{})})
	env.RegisterNexusService(service)
	program := operated(p, c.row.name)
	var got any
	var failed error
	env.ExecuteWorkflow(func(ctx workflow.Context) error {
		got, failed = program(ctx)
		return nil
	})
	p.tried(c.row.name, failed)
	messages := append(seen.messages, encoded(got))
	if failed != nil {
		messages = append(messages, failure(failed))
	}
	f := interceptortest.NewFinder([]string{c.value})
	var places []interceptortest.Place
	for _, m := range messages {
		places = append(places, f.Message(m)...)
	}
	return places
}

func failure(err error) *failurepb.Failure {
	return temporal.GetDefaultFailureConverter().ErrorToFailure(err)
}
