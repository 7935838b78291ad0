package samples

import (
	"context"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

const headerKey = "tenant"

type tenantKey struct{}

// tenancy is a program's own interceptor. It hands the name of a tenant from
// the client to the workflow and on to its activities and children, by header,
// and writes its own memo and marker.
type tenancy struct {
	interceptor.InterceptorBase
}

func (t *tenancy) InterceptClient(next interceptor.ClientOutboundInterceptor) interceptor.ClientOutboundInterceptor {
	i := &tenancyClient{}
	i.Next = next
	return i
}

func (t *tenancy) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	i := &tenancyWorkflow{}
	i.Next = next
	return i
}

func (t *tenancy) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	i := &tenancyActivity{}
	i.Next = next
	return i
}

type tenancyClient struct {
	interceptor.ClientOutboundInterceptorBase
}

func (i *tenancyClient) ExecuteWorkflow(ctx context.Context, in *interceptor.ClientExecuteWorkflowInput) (client.WorkflowRun, error) {
	if tenant, ok := ctx.Value(tenantKey{}).(string); ok {
		payload, err := converter.GetDefaultDataConverter().ToPayload(tenant)
		if err != nil {
			return nil, err
		}
		interceptor.Header(ctx)[headerKey] = payload
	}
	return i.Next.ExecuteWorkflow(ctx, in)
}

type tenancyWorkflow struct {
	interceptor.WorkflowInboundInterceptorBase
}

func (i *tenancyWorkflow) Init(out interceptor.WorkflowOutboundInterceptor) error {
	o := &tenancyOutbound{}
	o.Next = out
	return i.Next.Init(o)
}

func (i *tenancyWorkflow) ExecuteWorkflow(ctx workflow.Context, in *interceptor.ExecuteWorkflowInput) (any, error) {
	var tenant string
	if payload := interceptor.WorkflowHeader(ctx)[headerKey]; payload != nil {
		if err := converter.GetDefaultDataConverter().FromPayload(payload, &tenant); err != nil {
			return nil, err
		}
		ctx = workflow.WithValue(ctx, tenantKey{}, tenant)
	}
	if err := workflow.UpsertMemo(ctx, map[string]any{"tenant": map[string]any{"name": tenant}}); err != nil {
		return nil, err
	}
	return i.Next.ExecuteWorkflow(ctx, in)
}

type tenancyOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
}

func (o *tenancyOutbound) ExecuteActivity(ctx workflow.Context, activityType string, args ...any) workflow.Future {
	if err := o.hand(ctx); err != nil {
		future, set := workflow.NewFuture(ctx)
		set.SetError(err)
		return future
	}
	return o.Next.ExecuteActivity(ctx, activityType, args...)
}

func (o *tenancyOutbound) ExecuteChildWorkflow(ctx workflow.Context, childType string, args ...any) workflow.ChildWorkflowFuture {
	// A header that cannot be encoded is left out: a future of the
	// interceptor's own would not do for a child.
	_ = o.hand(ctx)
	return o.Next.ExecuteChildWorkflow(ctx, childType, args...)
}

func (o *tenancyOutbound) hand(ctx workflow.Context) error {
	tenant, _ := ctx.Value(tenantKey{}).(string)
	payload, err := converter.GetDefaultDataConverter().ToPayload(tenant)
	if err != nil {
		return err
	}
	interceptor.WorkflowHeader(ctx)[headerKey] = payload
	return nil
}

type tenancyActivity struct {
	interceptor.ActivityInboundInterceptorBase
}

func (i *tenancyActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	if payload := interceptor.Header(ctx)[headerKey]; payload != nil {
		var tenant string
		if err := converter.GetDefaultDataConverter().FromPayload(payload, &tenant); err != nil {
			return nil, err
		}
		ctx = context.WithValue(ctx, tenantKey{}, tenant)
	}
	return i.Next.ExecuteActivity(ctx, in)
}

// rent asks an activity and a child whose house this is.
func rent(ctx workflow.Context) ([]string, error) {
	answers := make([]string, 2)
	if err := workflow.ExecuteActivity(quick(ctx), whose).Get(ctx, &answers[0]); err != nil {
		return nil, err
	}
	err := workflow.ExecuteChildWorkflow(ctx, sublet).Get(ctx, &answers[1])
	return answers, err
}

func sublet(ctx workflow.Context) (string, error) {
	var answer string
	err := workflow.ExecuteActivity(quick(ctx), whose).Get(ctx, &answer)
	return "sublet by " + answer, err
}

func whose(ctx context.Context) (string, error) {
	tenant, _ := ctx.Value(tenantKey{}).(string)
	return tenant, nil
}

// driveRent starts rent on behalf of a tenant.
func driveRent(ctx context.Context, e Env) (Outcome, error) {
	run, err := e.start(context.WithValue(ctx, tenantKey{}, "Ada"), rent)
	if err != nil {
		return Outcome{}, err
	}
	return outcome[[]string](ctx, run)
}

// interceptors has them where most programs do: on the client, which hands
// those that also serve workers on to its workers.
func interceptors() Sample {
	return Sample{
		Name:       "interceptors",
		Workflows:  workflows(rent, sublet),
		Activities: activities(whose),
		Client:     client.Options{Interceptors: []interceptor.ClientInterceptor{&tenancy{}}},
		Drive:      driveRent,
		Want:       `["Ada","sublet by Ada"]`,
	}
}

// tenancyStarter is the client's part of tenancy alone.
type tenancyStarter struct {
	interceptor.ClientInterceptorBase
}

func (*tenancyStarter) InterceptClient(next interceptor.ClientOutboundInterceptor) interceptor.ClientOutboundInterceptor {
	return (&tenancy{}).InterceptClient(next)
}

// workerInterceptors has one half on the client and the other on the worker.
func workerInterceptors() Sample {
	s := interceptors()
	s.Name = "worker-interceptors"
	s.Client = client.Options{Interceptors: []interceptor.ClientInterceptor{&tenancyStarter{}}}
	s.Worker = worker.Options{Interceptors: []interceptor.WorkerInterceptor{&tenancy{}}}
	return s
}
