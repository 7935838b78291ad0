package integration_test

import (
	"context"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/workflow"
)

// labelKey and carriedKey hold a text in a context: one that labels write into
// the headers of a call, and one that a carrier does.
type (
	labelKey   struct{}
	carriedKey struct{}
)

// A writer puts a text of the context into headers.
type writer struct {
	key any
	// row is what the rows of the writer are called after the name of the call.
	row string
}

// writers are an interceptor and a propagator, which the SDK calls last.
var writers = []writer{{labelKey{}, " header"}, {carriedKey{}, " header of a propagator"}}

// labels is an interceptor of somebody else's that writes a text of the context
// into the header of every call.
type labels struct{ interceptor.InterceptorBase }

func label(text any, header map[string]*commonpb.Payload) {
	s, ok := text.(string)
	if !ok || header == nil {
		return
	}
	if p, err := converter.GetDefaultDataConverter().ToPayload(s); err == nil {
		header["label"] = p
	}
}

func (l *labels) InterceptClient(next interceptor.ClientOutboundInterceptor) interceptor.ClientOutboundInterceptor {
	o := &labelsClient{}
	o.Next = next
	return o
}

func (l *labels) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	i := &labelsInbound{}
	i.Next = next
	return i
}

type labelsClient struct {
	interceptor.ClientOutboundInterceptorBase
}

func labelCall(ctx context.Context) { label(ctx.Value(labelKey{}), interceptor.Header(ctx)) }

func (o *labelsClient) ExecuteWorkflow(ctx context.Context, in *interceptor.ClientExecuteWorkflowInput) (client.WorkflowRun, error) {
	labelCall(ctx)
	return o.Next.ExecuteWorkflow(ctx, in)
}

func (o *labelsClient) SignalWithStartWorkflow(ctx context.Context, in *interceptor.ClientSignalWithStartWorkflowInput) (client.WorkflowRun, error) {
	labelCall(ctx)
	return o.Next.SignalWithStartWorkflow(ctx, in)
}

func (o *labelsClient) UpdateWithStartWorkflow(ctx context.Context, in *interceptor.ClientUpdateWithStartWorkflowInput) (client.WorkflowUpdateHandle, error) {
	labelCall(ctx)
	return o.Next.UpdateWithStartWorkflow(ctx, in)
}

func (o *labelsClient) SignalWorkflow(ctx context.Context, in *interceptor.ClientSignalWorkflowInput) error {
	labelCall(ctx)
	return o.Next.SignalWorkflow(ctx, in)
}

func (o *labelsClient) QueryWorkflow(ctx context.Context, in *interceptor.ClientQueryWorkflowInput) (converter.EncodedValue, error) {
	labelCall(ctx)
	return o.Next.QueryWorkflow(ctx, in)
}

func (o *labelsClient) UpdateWorkflow(ctx context.Context, in *interceptor.ClientUpdateWorkflowInput) (client.WorkflowUpdateHandle, error) {
	labelCall(ctx)
	return o.Next.UpdateWorkflow(ctx, in)
}

func (o *labelsClient) ExecuteActivity(ctx context.Context, in *interceptor.ClientExecuteActivityInput) (client.ActivityHandle, error) {
	labelCall(ctx)
	return o.Next.ExecuteActivity(ctx, in)
}

func (o *labelsClient) CreateSchedule(ctx context.Context, in *interceptor.ScheduleClientCreateInput) (client.ScheduleHandle, error) {
	labelCall(ctx)
	return o.Next.CreateSchedule(ctx, in)
}

func (o *labelsClient) ExecuteNexusOperation(ctx context.Context, in *interceptor.ClientExecuteNexusOperationInput) (client.NexusOperationHandle, error) {
	if s, ok := ctx.Value(labelKey{}).(string); ok {
		in.NexusHeader = map[string]string{"label": s}
	}
	return o.Next.ExecuteNexusOperation(ctx, in)
}

type labelsInbound struct {
	interceptor.WorkflowInboundInterceptorBase
}

func (i *labelsInbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	o := &labelsOutbound{}
	o.Next = next
	return i.Next.Init(o)
}

type labelsOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
}

func labelFrom(ctx workflow.Context) {
	label(ctx.Value(labelKey{}), interceptor.WorkflowHeader(ctx))
}

func (o *labelsOutbound) ExecuteActivity(ctx workflow.Context, activityType string, args ...any) workflow.Future {
	labelFrom(ctx)
	return o.Next.ExecuteActivity(ctx, activityType, args...)
}

func (o *labelsOutbound) ExecuteLocalActivity(ctx workflow.Context, activityType string, args ...any) workflow.Future {
	labelFrom(ctx)
	return o.Next.ExecuteLocalActivity(ctx, activityType, args...)
}

func (o *labelsOutbound) NewContinueAsNewError(ctx workflow.Context, wfn any, args ...any) error {
	labelFrom(ctx)
	return o.Next.NewContinueAsNewError(ctx, wfn, args...)
}

func (o *labelsOutbound) ExecuteChildWorkflow(ctx workflow.Context, childType string, args ...any) workflow.ChildWorkflowFuture {
	labelFrom(ctx)
	return o.Next.ExecuteChildWorkflow(ctx, childType, args...)
}

func (o *labelsOutbound) SignalExternalWorkflow(ctx workflow.Context, workflowID, runID, name string, arg any) workflow.Future {
	labelFrom(ctx)
	return o.Next.SignalExternalWorkflow(ctx, workflowID, runID, name, arg)
}

func (o *labelsOutbound) ExecuteNexusOperation(ctx workflow.Context, in interceptor.ExecuteNexusOperationInput) workflow.NexusOperationFuture {
	if s, ok := ctx.Value(labelKey{}).(string); ok {
		in.NexusHeader = map[string]string{"label": s}
	}
	return o.Next.ExecuteNexusOperation(ctx, in)
}

// carrier hands a text along by context, as tracing does: it writes after every
// interceptor.
type carrier struct{}

func (carrier) Inject(ctx context.Context, w workflow.HeaderWriter) error {
	return carry(ctx.Value(carriedKey{}), w)
}

func (carrier) InjectFromWorkflow(ctx workflow.Context, w workflow.HeaderWriter) error {
	return carry(ctx.Value(carriedKey{}), w)
}

func (carrier) Extract(ctx context.Context, _ workflow.HeaderReader) (context.Context, error) {
	return ctx, nil
}

func (carrier) ExtractToWorkflow(ctx workflow.Context, _ workflow.HeaderReader) (workflow.Context, error) {
	return ctx, nil
}

func carry(text any, w workflow.HeaderWriter) error {
	s, ok := text.(string)
	if !ok {
		return nil
	}
	p, err := converter.GetDefaultDataConverter().ToPayload(s)
	if err == nil {
		w.Set("carried", p)
	}
	return err
}
