package interceptor

import (
	"time"

	"go.temporal.io/sdk/converter"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// workflowOutbound is what leaves workflow code. Every method that can carry
// data is either judged (and its refusal recorded) or cleaned (a rewrite, which
// needs no record since inputs are never compared on replay).
type workflowOutbound struct {
	sdkinterceptor.WorkflowOutboundInterceptorBase
	run *run
	// versions are the change ids that the run has used.
	versions map[string]bool
}

// GetInfo answers a probe by a second copy of the guard; see workflowInbound.Init.
func (o *workflowOutbound) GetInfo(ctx workflow.Context) *workflow.Info {
	o.answer(ctx)
	return o.Next.GetInfo(ctx)
}

// IsReplaying answers a probe too.
func (o *workflowOutbound) IsReplaying(ctx workflow.Context) bool {
	o.answer(ctx)
	return o.Next.IsReplaying(ctx)
}

func (o *workflowOutbound) answer(ctx workflow.Context) {
	if p, ok := ctx.Value(probeKey{}).(*probe); ok && !o.run.inactive {
		p.found = true
	}
}

// call starts the description of a call from this run.
func (o *workflowOutbound) call(ctx workflow.Context, kind, name, to string, args []any) call {
	info := o.Next.GetInfo(ctx)
	return call{
		kind: kind, name: name, namespace: info.Namespace, own: info.TaskQueueName, to: to,
		runType: info.WorkflowType.Name, workflowID: info.WorkflowExecution.ID, args: args,
	}
}

// guarded judges a call and returns the arguments to send, or the error to refuse
// it with. headers are judged with it where the SDK has put some on the context.
func (o *workflowOutbound) guarded(ctx workflow.Context, ch channel, c call) ([]any, error) {
	if o.run.inactive {
		return c.args, nil
	}
	out := c.args
	err := o.run.decide(ctx, o.Next, ch, func() (refusal, bool) {
		c.headers = sdkinterceptor.WorkflowHeader(ctx)
		v := o.run.g.judge(c)
		vs, s := v.refused()
		if len(vs) == 0 && len(o.run.tainted) > 0 {
			vs, s = o.run.tainted, v.sides[0]
		}
		o.run.g.tell(o.Next.GetMetricsHandler(ctx), v)
		if len(vs) > 0 {
			countRefusals(o.Next.GetMetricsHandler(ctx), s.queue, s.policy.Mode(), vs)
			return refusalOf(v.call.subject(), vs, s), true
		}
		out = v.args
		return refusal{}, false
	})
	return out, err
}

// failed returns a future that holds a refusal.
func failed(ctx workflow.Context, err error) workflow.Future {
	f, set := workflow.NewFuture(ctx)
	set.SetError(err)
	return f
}

// refusing makes the SDK itself return its own failed futures for child
// workflows and Nexus operations, whose futures cannot be made outside: it looks
// at the context's error before it schedules anything or takes an id.
type refusing struct {
	workflow.Context
	err error
}

func (c refusing) Err() error { return c.err }

func (o *workflowOutbound) ExecuteActivity(ctx workflow.Context, activityType string, args ...any) workflow.Future {
	opts := workflow.GetActivityOptions(ctx)
	c := o.call(ctx, "activity", activityType, governedBy(ctx, opts.TaskQueue, args), args)
	c.activity = true
	c.texts = nonEmpty("summary", opts.Summary, "activity_id", opts.ActivityID, "fairness_key", opts.Priority.FairnessKey)
	c.texts = addEach(addRetry(c.texts, opts.RetryPolicy), "event_group", eventGroups(opts))
	out, err := o.guarded(ctx, channelActivity, c)
	if err != nil {
		return failed(ctx, err)
	}
	return o.Next.ExecuteActivity(ctx, activityType, out...)
}

func (o *workflowOutbound) ExecuteLocalActivity(ctx workflow.Context, activityType string, args ...any) workflow.Future {
	c := o.call(ctx, "local activity", activityType, "", args)
	c.activity = true
	opts := workflow.GetLocalActivityOptions(ctx)
	c.texts = addEach(addRetry(nonEmpty("summary", opts.Summary), opts.RetryPolicy), "event_group", eventGroups(opts))
	out, err := o.guarded(ctx, channelLocalActivity, c)
	if err != nil {
		return failed(ctx, err)
	}
	// The slice is the guard's own from here on: in the SDK's test environment
	// the activity can be reached only through it (activityInbound.inPlace), and
	// the caller's slice must never hold a value.
	own := make([]any, len(out))
	copy(own, out)
	return o.Next.ExecuteLocalActivity(ctx, activityType, own...)
}

func (o *workflowOutbound) ExecuteChildWorkflow(ctx workflow.Context, childType string, args ...any) workflow.ChildWorkflowFuture {
	opts := workflow.GetChildWorkflowOptions(ctx)
	c := o.call(ctx, "child workflow", childType, opts.TaskQueue, args)
	c.memo = opts.Memo
	c.texts = nonEmpty("workflow_id", opts.WorkflowID, "summary", opts.StaticSummary, "details", opts.StaticDetails, "fairness_key", opts.Priority.FairnessKey,
		"namespace", opts.Namespace, "cron_schedule", opts.CronSchedule)
	c.texts = addVersion(addRetry(c.texts, opts.RetryPolicy), opts.VersioningOverride)
	c.texts = addEach(c.texts, "event_group", eventGroups(opts))
	c.attributes = searchAttributes(opts.SearchAttributes, opts.TypedSearchAttributes)
	out, err := o.guarded(ctx, channelChild, c)
	if err != nil {
		// Nothing of the call is passed on: an interceptor inside the guard could
		// take the refusal off the context. The SDK keeps a namespace and a queue
		// that are not overwritten.
		nothing := workflow.ChildWorkflowOptions{Namespace: c.namespace, TaskQueue: c.own}
		return o.Next.ExecuteChildWorkflow(refusing{Context: workflow.WithChildOptions(ctx, nothing), err: err}, childType)
	}
	return o.Next.ExecuteChildWorkflow(ctx, childType, out...)
}

func (o *workflowOutbound) SignalExternalWorkflow(ctx workflow.Context, workflowID, runID, signalName string, arg any) workflow.Future {
	c := o.call(ctx, "signal", signalName, "", []any{arg})
	c.texts = nonEmpty("workflow_id", workflowID, "run_id", runID)
	out, err := o.guarded(ctx, channelSignal, c)
	if err != nil {
		return failed(ctx, err)
	}
	return o.Next.SignalExternalWorkflow(ctx, workflowID, runID, signalName, out[0])
}

// RequestCancelExternalWorkflow carries nothing but the id of its target.
func (o *workflowOutbound) RequestCancelExternalWorkflow(ctx workflow.Context, workflowID, runID string) workflow.Future {
	c := o.call(ctx, "cancel request", "cancel", "", nil)
	c.texts = nonEmpty("workflow_id", workflowID, "run_id", runID)
	if _, err := o.guarded(ctx, channelCancel, c); err != nil {
		return failed(ctx, err)
	}
	return o.Next.RequestCancelExternalWorkflow(ctx, workflowID, runID)
}

func (o *workflowOutbound) SignalChildWorkflow(ctx workflow.Context, workflowID, signalName string, arg any) workflow.Future {
	c := o.call(ctx, "signal", signalName, "", []any{arg})
	c.texts = nonEmpty("workflow_id", workflowID)
	out, err := o.guarded(ctx, channelSignal, c)
	if err != nil {
		return failed(ctx, err)
	}
	return o.Next.SignalChildWorkflow(ctx, workflowID, signalName, out[0])
}

func (o *workflowOutbound) ExecuteNexusOperation(ctx workflow.Context, in sdkinterceptor.ExecuteNexusOperationInput) workflow.NexusOperationFuture {
	c := o.call(ctx, "Nexus operation", operationName(in.Operation), "", []any{in.Input})
	c.texts = nonEmpty("summary", in.Options.Summary, "endpoint", in.Client.Endpoint(), "service", in.Client.Service())
	c.texts = addEach(addHeaders(c.texts, in.NexusHeader), "event_group", eventGroups(in.Options))
	out, err := o.guarded(ctx, channelNexus, c)
	if err != nil {
		// Its names may be what it was refused for.
		nothing := sdkinterceptor.ExecuteNexusOperationInput{Client: workflow.NewNexusClient("refused", "refused"), Operation: "refused"}
		return o.Next.ExecuteNexusOperation(refusing{Context: ctx, err: err}, nothing)
	}
	in.Input = out[0]
	return o.Next.ExecuteNexusOperation(ctx, in)
}

func (o *workflowOutbound) UpsertMemo(ctx workflow.Context, memo map[string]any) error {
	c := o.call(ctx, "memo", "memo", "", nil)
	c.memo = memo
	if _, err := o.guarded(ctx, channelMemo, c); err != nil {
		return err
	}
	return o.Next.UpsertMemo(ctx, memo)
}

func (o *workflowOutbound) UpsertSearchAttributes(ctx workflow.Context, attributes map[string]any) error {
	c := o.call(ctx, "search attributes", "search attributes", "", nil)
	c.attributes = searchAttributes(attributes, temporal.SearchAttributes{})
	if _, err := o.guarded(ctx, channelSearch, c); err != nil {
		return err
	}
	return o.Next.UpsertSearchAttributes(ctx, attributes)
}

func (o *workflowOutbound) UpsertTypedSearchAttributes(ctx workflow.Context, attributes ...temporal.SearchAttributeUpdate) error {
	c := o.call(ctx, "search attributes", "search attributes", "", nil)
	c.attributes = searchAttributes(nil, temporal.NewSearchAttributes(attributes...))
	if _, err := o.guarded(ctx, channelSearch, c); err != nil {
		return err
	}
	return o.Next.UpsertTypedSearchAttributes(ctx, attributes...)
}

func (o *workflowOutbound) NewContinueAsNewError(ctx workflow.Context, wfn any, args ...any) error {
	return o.continueAsNew(ctx, workflow.ContinueAsNewErrorOptions{}, args, func(out []any) error { return o.Next.NewContinueAsNewError(ctx, wfn, out...) })
}

// NewContinueAsNewErrorWithOptions is not a method of the interface before SDK
// 1.51. Defined here, it is called by one that has it, instead of being the way
// around the guard.
func (o *workflowOutbound) NewContinueAsNewErrorWithOptions(ctx workflow.Context, opts workflow.ContinueAsNewErrorOptions, wfn any, args ...any) error {
	return o.continueAsNew(ctx, opts, args, func(out []any) error {
		next, ok := any(o.Next).(interface {
			NewContinueAsNewErrorWithOptions(workflow.Context, workflow.ContinueAsNewErrorOptions, any, ...any) error
		})
		if !ok {
			return workflow.NewContinueAsNewErrorWithOptions(ctx, opts, wfn, out...)
		}
		return next.NewContinueAsNewErrorWithOptions(ctx, opts, wfn, out...)
	})
}

func (o *workflowOutbound) continueAsNew(ctx workflow.Context, opts workflow.ContinueAsNewErrorOptions, args []any, next func([]any) error) error {
	info := o.Next.GetInfo(ctx)
	// The queue to go on with stands where a child's would.
	to := workflow.GetChildWorkflowOptions(ctx).TaskQueue
	c := o.call(ctx, "continue-as-new", info.WorkflowType.Name, to, args)
	c.texts = addEach(addRetry(nil, opts.RetryPolicy), "event_group", eventGroups(opts))
	out, err := o.guarded(ctx, channelContinue, c)
	if err != nil {
		return err
	}
	err = next(out)
	o.run.remember(err)
	return err
}

func (o *workflowOutbound) SideEffect(ctx workflow.Context, f func(workflow.Context) any) converter.EncodedValue {
	return o.Next.SideEffect(ctx, o.cleaning(f))
}

func (o *workflowOutbound) SideEffectWithOptions(ctx workflow.Context, opts workflow.SideEffectOptions, f func(workflow.Context) any) converter.EncodedValue {
	o.mustNotGroupBy(ctx, eventGroups(opts))
	opts.Summary = o.clean(ctx, opts.Summary)
	return o.Next.SideEffectWithOptions(ctx, opts, o.cleaning(f))
}

func (o *workflowOutbound) MutableSideEffect(ctx workflow.Context, id string, f func(workflow.Context) any, equals func(a, b any) bool) converter.EncodedValue {
	o.mustBeName(ctx, "id of MutableSideEffect", id)
	return o.Next.MutableSideEffect(ctx, id, o.cleaning(f), unequal(equals))
}

func (o *workflowOutbound) MutableSideEffectWithOptions(ctx workflow.Context, id string, opts workflow.MutableSideEffectOptions, f func(workflow.Context) any, equals func(a, b any) bool) converter.EncodedValue {
	o.mustBeName(ctx, "id of MutableSideEffect", id)
	o.mustNotGroupBy(ctx, eventGroups(opts))
	opts.Summary = o.clean(ctx, opts.Summary)
	return o.Next.MutableSideEffectWithOptions(ctx, id, opts, o.cleaning(f), unequal(equals))
}

func (o *workflowOutbound) NewTimerWithOptions(ctx workflow.Context, d time.Duration, opts workflow.TimerOptions) workflow.Future {
	o.mustNotGroupBy(ctx, eventGroups(opts))
	opts.Summary = o.clean(ctx, opts.Summary)
	return o.Next.NewTimerWithOptions(ctx, d, opts)
}

func (o *workflowOutbound) AwaitWithOptions(ctx workflow.Context, opts workflow.AwaitOptions, condition func() bool) (bool, error) {
	o.mustNotGroupBy(ctx, eventGroups(opts.TimerOptions))
	opts.TimerOptions.Summary = o.clean(ctx, opts.TimerOptions.Summary)
	return o.Next.AwaitWithOptions(ctx, opts, condition)
}

func (o *workflowOutbound) GetSignalChannelWithOptions(ctx workflow.Context, name string, opts workflow.SignalChannelOptions) workflow.ReceiveChannel {
	opts.Description = o.clean(ctx, opts.Description)
	return o.Next.GetSignalChannelWithOptions(ctx, name, opts)
}

func (o *workflowOutbound) SetQueryHandlerWithOptions(ctx workflow.Context, queryType string, handler any, opts workflow.QueryHandlerOptions) error {
	opts.Description = o.clean(ctx, opts.Description)
	return o.Next.SetQueryHandlerWithOptions(ctx, queryType, handler, opts)
}

func (o *workflowOutbound) SetUpdateHandler(ctx workflow.Context, name string, handler any, opts workflow.UpdateHandlerOptions) error {
	opts.Description = o.clean(ctx, opts.Description)
	return o.Next.SetUpdateHandler(ctx, name, handler, opts)
}

func (o *workflowOutbound) GetLogger(ctx workflow.Context) log.Logger {
	return o.run.g.redactingLogger(o.Next.GetLogger(ctx))
}

// cleaning hides credentials in what a side effect records. Workflow code reads
// back what was recorded, so live and replay see the same.
//
// What it returns runs inside a side effect, live only.
//
//workflowcheck:ignore
func (o *workflowOutbound) cleaning(f func(workflow.Context) any) func(workflow.Context) any {
	return func(ctx workflow.Context) any {
		v := f(ctx)
		if o.run.inactive {
			return v
		}
		o.run.g.tellOf(o.Next.GetMetricsHandler(ctx), o.call(ctx, "side effect", "side effect", "", []any{v}))
		c, queue, done := o.cleaner(ctx)
		defer done()
		return o.run.g.cleanRecorded(c, v, queue)
	}
}

// unequal says of values that the user's function cannot compare that they
// differ: a cleaned value may have lost its type, and a panic would fail the
// workflow task for ever.
func unequal(equals func(a, b any) bool) func(a, b any) bool {
	return func(a, b any) (same bool) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			_, first := a.(converter.RawValue)
			_, second := b.(converter.RawValue)
			if !first && !second {
				panic(p) // the user's own
			}
			same = false
		}()
		return equals(a, b)
	}
}

func (o *workflowOutbound) clean(ctx workflow.Context, s string) string {
	if s == "" || o.run.inactive {
		return s
	}
	c, _, done := o.cleaner(ctx)
	defer done()
	out, _ := c.text(s)
	return out
}

// cleaner returns what cleans this workflow's output, and its queue. done counts the
// values that the workflow was not given: live only, and for queries, which are always
// answered on a replayed state, by the client's handler.
func (o *workflowOutbound) cleaner(ctx workflow.Context) (c cleaner, queue string, done func()) {
	info := o.Next.GetInfo(ctx)
	queue = info.TaskQueueName
	own := o.run.g.viewOf(info.Namespace, info.WorkflowExecution.ID)
	return o.run.g.cleaner(info.Namespace, queue, own), queue, func() {
		h := o.Next.GetMetricsHandler(ctx)
		if o.run.readOnly {
			h = o.run.g.meter()
		}
		countForeign(h, queue, own)
		o.run.g.countFailures()
	}
}
