package integration_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nexus-rpc/sdk-go/nexus"
	nexuspb "go.temporal.io/api/nexus/v1"
	"go.temporal.io/api/operatorservice/v1"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// operationService is the Nexus service of the census. Its endpoint has the name of
// the queue.
const operationService = "census"

// answered are the rows that a handler plants in its answer.
var answered = []string{"handler result", "handler error", "operation error", "operation error cause"}

// operations plants in what a workflow asks of Nexus operations, and has the
// worker plant in the answers.
func (s *surveyor) operations(ctx workflow.Context) {
	operate := func(ctx workflow.Context, service, operation string, input any, summary string) workflow.NexusOperationFuture {
		return workflow.NewNexusClient(s.c.queue, service).ExecuteOperation(ctx, operation, input, workflow.NexusOperationOptions{
			ScheduleToCloseTimeout: programsPatience, Summary: summary,
		})
	}
	s.await("operation input", operate(ctx, operationService, "take", map[string]any{"v": s.text("operation input")}, ""))
	s.await("operation summary", operate(ctx, operationService, "take", "nothing", s.text("operation summary")))
	labelled := workflow.WithValue(ctx, labelKey{}, s.text("operation header"))
	s.await("operation header", operate(labelled, operationService, "take", "nothing", ""))
	s.await("operation name", operate(ctx, operationService, s.text("operation name"), "nothing", ""))
	s.await("service", operate(ctx, s.text("service"), "take", "nothing", ""))
	for _, row := range answered {
		s.await(row, operate(ctx, operationService, "answer", []string{s.encoding, row}, ""))
	}
	// It never ends: that it has begun is all that the caller hears of it.
	s.await("operation token", operate(ctx, operationService, "begin", s.encoding, "").GetNexusOperationExecution())
}

// registerOperations registers the handlers.
func (c *census) registerOperations(t *testing.T, r worker.Registry) {
	t.Helper()
	service := nexus.NewService(operationService)
	err := service.Register(
		nexus.NewSyncOperation("take", func(context.Context, any, nexus.StartOperationOptions) (any, error) { return "nothing", nil }),
		nexus.NewSyncOperation("answer", c.answer),
		&beginning{c: c},
	)
	if err != nil {
		t.Fatal(err)
	}
	r.RegisterNexusService(service)
}

// answer answers in the way that the row is named after.
func (c *census) answer(_ context.Context, in []string, _ nexus.StartOperationOptions) (any, error) {
	p, row := c.planter(in[0]), in[1]
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
	return nil, nexus.NewHandlerErrorf(nexus.HandlerErrorTypeBadRequest, "no such row")
}

// beginning is an operation that goes on under a token.
type beginning struct {
	nexus.UnimplementedOperation[string, any]
	c *census
}

func (*beginning) Name() string { return "begin" }

func (b *beginning) Start(_ context.Context, encoding string, _ nexus.StartOperationOptions) (nexus.HandlerStartOperationResult[any], error) {
	return &nexus.HandlerStartOperationResultAsync{OperationToken: b.c.planter(encoding).text("operation token")}, nil
}

// endpoint makes the server deliver the operations of the census to its worker.
func (c *census) endpoint(ctx context.Context, t *testing.T) {
	t.Helper()
	_, err := c.plain.OperatorService().CreateNexusEndpoint(ctx, &operatorservice.CreateNexusEndpointRequest{Spec: &nexuspb.EndpointSpec{
		Name: c.queue,
		Target: &nexuspb.EndpointTarget{Variant: &nexuspb.EndpointTarget_Worker_{
			Worker: &nexuspb.EndpointTarget_Worker{Namespace: server.Namespace(), TaskQueue: c.queue},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
}
