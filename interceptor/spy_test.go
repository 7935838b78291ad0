package interceptor_test

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// A spy is somebody else's interceptor. Placed before the guard it is the
// innermost around workflow calls, so that it sees what the guard lets out, and
// the outermost around activities, where it must never see a value.
type spy struct {
	interceptor.WorkerInterceptorBase

	mu   sync.Mutex
	sent []sent
}

// sent is a call that left workflow code, or an activity that is about to run.
type sent struct {
	method, name string
	args         []any
}

func (s *spy) note(method, name string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, sent{method, name, args})
}

// calls returns the calls of a method.
func (s *spy) calls(method string) []sent {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []sent
	for _, c := range s.sent {
		if c.method == method {
			out = append(out, c)
		}
	}
	return out
}

func (s *spy) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	i := &spyInbound{spy: s}
	i.Next = next
	return i
}

func (s *spy) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	i := &spyActivity{spy: s}
	i.Next = next
	return i
}

type spyActivity struct {
	interceptor.ActivityInboundInterceptorBase
	spy *spy
}

func (i *spyActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	i.spy.note("activity in", "", in.Args...)
	out, err := i.Next.ExecuteActivity(ctx, in)
	i.spy.note("activity out", "", out, err)
	return out, err
}

type spyInbound struct {
	interceptor.WorkflowInboundInterceptorBase
	spy *spy
}

func (i *spyInbound) Init(next interceptor.WorkflowOutboundInterceptor) error {
	o := &spyOutbound{spy: i.spy}
	o.Next = next
	return i.Next.Init(o)
}

type spyOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	spy *spy
}

func (o *spyOutbound) ExecuteActivity(ctx workflow.Context, typ string, args ...any) workflow.Future {
	o.spy.note("ExecuteActivity", typ, args...)
	return o.Next.ExecuteActivity(ctx, typ, args...)
}

func (o *spyOutbound) ExecuteLocalActivity(ctx workflow.Context, typ string, args ...any) workflow.Future {
	o.spy.note("ExecuteLocalActivity", typ, args...)
	return o.Next.ExecuteLocalActivity(ctx, typ, args...)
}

func (o *spyOutbound) ExecuteChildWorkflow(ctx workflow.Context, typ string, args ...any) workflow.ChildWorkflowFuture {
	if ctx.Err() == nil {
		o.spy.note("ExecuteChildWorkflow", typ, args...)
	} else {
		o.spy.note("refused ExecuteChildWorkflow", typ, append(args, workflow.GetChildWorkflowOptions(ctx))...)
	}
	return o.Next.ExecuteChildWorkflow(ctx, typ, args...)
}

func (o *spyOutbound) ExecuteNexusOperation(ctx workflow.Context, in interceptor.ExecuteNexusOperationInput) workflow.NexusOperationFuture {
	if ctx.Err() == nil {
		o.spy.note("ExecuteNexusOperation", "", in.Input)
	} else {
		o.spy.note("refused ExecuteNexusOperation", "", in)
	}
	return o.Next.ExecuteNexusOperation(ctx, in)
}

func (o *spyOutbound) SignalExternalWorkflow(ctx workflow.Context, id, run, name string, arg any) workflow.Future {
	o.spy.note("SignalExternalWorkflow", name, arg)
	return o.Next.SignalExternalWorkflow(ctx, id, run, name, arg)
}

func (o *spyOutbound) SignalChildWorkflow(ctx workflow.Context, id, name string, arg any) workflow.Future {
	o.spy.note("SignalChildWorkflow", name, arg)
	return o.Next.SignalChildWorkflow(ctx, id, name, arg)
}

func (o *spyOutbound) UpsertMemo(ctx workflow.Context, memo map[string]any) error {
	o.spy.note("UpsertMemo", "", memo)
	return o.Next.UpsertMemo(ctx, memo)
}

func (o *spyOutbound) UpsertSearchAttributes(ctx workflow.Context, a map[string]any) error {
	o.spy.note("UpsertSearchAttributes", "", a)
	return o.Next.UpsertSearchAttributes(ctx, a)
}

func (o *spyOutbound) UpsertTypedSearchAttributes(ctx workflow.Context, a ...temporal.SearchAttributeUpdate) error {
	o.spy.note("UpsertTypedSearchAttributes", "")
	return o.Next.UpsertTypedSearchAttributes(ctx, a...)
}

func (o *spyOutbound) NewContinueAsNewError(ctx workflow.Context, wf any, args ...any) error {
	o.spy.note("NewContinueAsNewError", "", args...)
	return o.Next.NewContinueAsNewError(ctx, wf, args...)
}

func (o *spyOutbound) SideEffect(ctx workflow.Context, f func(workflow.Context) any) converter.EncodedValue {
	return o.Next.SideEffect(ctx, func(ctx workflow.Context) any {
		v := f(ctx)
		o.spy.note("SideEffect", "", v)
		return v
	})
}

func (o *spyOutbound) SideEffectWithOptions(ctx workflow.Context, opts workflow.SideEffectOptions, f func(workflow.Context) any) converter.EncodedValue {
	o.spy.note("summary", "", opts.Summary)
	return o.Next.SideEffectWithOptions(ctx, opts, func(ctx workflow.Context) any {
		v := f(ctx)
		o.spy.note("SideEffectWithOptions", "", v)
		return v
	})
}

func (o *spyOutbound) MutableSideEffect(ctx workflow.Context, id string, f func(workflow.Context) any, equals func(a, b any) bool) converter.EncodedValue {
	return o.Next.MutableSideEffect(ctx, id, func(ctx workflow.Context) any {
		v := f(ctx)
		o.spy.note("MutableSideEffect", id, v)
		return v
	}, equals)
}

func (o *spyOutbound) MutableSideEffectWithOptions(ctx workflow.Context, id string, opts workflow.MutableSideEffectOptions, f func(workflow.Context) any, equals func(a, b any) bool) converter.EncodedValue {
	o.spy.note("summary", "", opts.Summary)
	return o.Next.MutableSideEffectWithOptions(ctx, id, opts, func(ctx workflow.Context) any {
		v := f(ctx)
		o.spy.note("MutableSideEffectWithOptions", id, v)
		return v
	}, equals)
}

func (o *spyOutbound) NewTimerWithOptions(ctx workflow.Context, d time.Duration, opts workflow.TimerOptions) workflow.Future {
	o.spy.note("summary", "", opts.Summary)
	return o.Next.NewTimerWithOptions(ctx, d, opts)
}

func (o *spyOutbound) AwaitWithOptions(ctx workflow.Context, opts workflow.AwaitOptions, condition func() bool) (bool, error) {
	o.spy.note("summary", "", opts.TimerOptions.Summary)
	return o.Next.AwaitWithOptions(ctx, opts, condition)
}

func (o *spyOutbound) GetSignalChannelWithOptions(ctx workflow.Context, name string, opts workflow.SignalChannelOptions) workflow.ReceiveChannel {
	o.spy.note("description", name, opts.Description)
	return o.Next.GetSignalChannelWithOptions(ctx, name, opts)
}

func (o *spyOutbound) SetQueryHandlerWithOptions(ctx workflow.Context, typ string, handler any, opts workflow.QueryHandlerOptions) error {
	o.spy.note("description", typ, opts.Description)
	return o.Next.SetQueryHandlerWithOptions(ctx, typ, handler, opts)
}

func (o *spyOutbound) SetUpdateHandler(ctx workflow.Context, name string, handler any, opts workflow.UpdateHandlerOptions) error {
	o.spy.note("description", name, opts.Description)
	return o.Next.SetUpdateHandler(ctx, name, handler, opts)
}
