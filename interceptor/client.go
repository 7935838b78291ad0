package interceptor

import (
	"context"
	"log/slog"
	"maps"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/validation"
)

// NewClient returns the guard as a client interceptor, for programs that start
// and signal workflows without the plugin. It judges what the client sends
// before it is sent; it is not a worker interceptor. A start is judged by the
// policy of the queue that it names; signals, updates and queries name none and
// are judged by that of Options.TaskQueue, else by the default one, else by the
// first entry that enforces.
func NewClient(opts Options) (sdkinterceptor.ClientInterceptor, error) {
	g, err := newGuard(opts)
	if err != nil {
		return nil, err
	}
	g.log.offer(sdklog.NewStructuredLogger(slog.Default()))
	return &clientGuard{g: g}, nil
}

type clientGuard struct {
	sdkinterceptor.ClientInterceptorBase
	g *guard
}

// InterceptClient implements the SDK's ClientInterceptor.
func (c *clientGuard) InterceptClient(next sdkinterceptor.ClientOutboundInterceptor) sdkinterceptor.ClientOutboundInterceptor {
	o := &clientOutbound{g: c.g}
	o.Next = next
	return o
}

// clientOutbound judges what a client sends. Nothing of it is replayed, so a
// refusal is simply returned.
type clientOutbound struct {
	sdkinterceptor.ClientOutboundInterceptorBase
	g *guard
}

// judged returns the arguments to send, or the refusal.
func (o *clientOutbound) judged(ctx context.Context, c call) ([]any, error) {
	c.headers = sdkinterceptor.Header(ctx)
	v := o.g.judge(c)
	h := o.g.meter()
	o.g.tell(h, v)
	vs, s := v.refused()
	if len(vs) == 0 {
		return v.args, o.allow(ctx, v)
	}
	countRefusals(h, s.queue, s.policy.Mode(), vs)
	ref := refusalOf(v.call.subject(), vs, s)
	o.g.trail.add(audit.Record{
		Time: o.g.now(), Action: audit.ActionDeny, Outcome: audit.OutcomeRefused, Mode: s.policy.Mode().String(),
		Queue: s.queue, WorkflowID: c.workflowID, Rule: vs[0].Rule, Path: vs[0].Path, PolicyDigest: ref.Policy, Count: len(vs),
	})
	return nil, ref.err(ErrorTypePolicyViolation)
}

// allow records a call that carries guard data before it is sent. When that fails
// the call is not sent, and may be made again.
func (o *clientOutbound) allow(ctx context.Context, v verdict) error {
	if !v.guardData {
		return nil
	}
	r := audit.Record{
		Time: o.g.now(), Action: audit.ActionAllow, Outcome: v.outcome(), Workflow: v.call.runType,
		WorkflowID: v.call.workflowID, Key: v.call.kind + " " + v.call.name,
	}
	if len(v.sides) > 0 {
		s := v.sides[0]
		r.Queue, r.Mode, r.PolicyDigest = s.queue, s.policy.Mode().String(), s.policy.Digest()
	}
	if writeRecord(ctx, o.g.sink, r) == nil {
		return nil
	}
	return temporal.NewApplicationError(ErrorTypeAuditUnavailable+": "+v.call.kind+" "+v.call.name+
		" was not sent, the audit sink did not take its record (retryable)\n  fix: restore the audit sink\n  docs/errors.md#errors", ErrorTypeAuditUnavailable)
}

func startCall(kind, name string, opts *client.StartWorkflowOptions, args []any) call {
	c := call{kind: kind, name: name, args: args}
	if opts != nil {
		c.to, c.memo = opts.TaskQueue, opts.Memo
		c.texts = nonEmpty("workflow_id", opts.ID, "summary", opts.StaticSummary, "details", opts.StaticDetails,
			"fairness_key", opts.Priority.FairnessKey, "cron_schedule", opts.CronSchedule)
		c.texts = addVersion(addRetry(c.texts, opts.RetryPolicy), opts.VersioningOverride)
		c.attributes = searchAttributes(opts.SearchAttributes, opts.TypedSearchAttributes)
	}
	return c
}

func (o *clientOutbound) ExecuteWorkflow(ctx context.Context, in *sdkinterceptor.ClientExecuteWorkflowInput) (client.WorkflowRun, error) {
	args, err := o.judged(ctx, startCall("workflow", in.WorkflowType, in.Options, in.Args))
	if err != nil {
		return nil, err
	}
	out := *in
	out.Args = args
	return o.Next.ExecuteWorkflow(ctx, &out)
}

func (o *clientOutbound) SignalWithStartWorkflow(ctx context.Context, in *sdkinterceptor.ClientSignalWithStartWorkflowInput) (client.WorkflowRun, error) {
	args, err := o.judged(ctx, startCall("workflow", in.WorkflowType, in.Options, in.Args))
	if err != nil {
		return nil, err
	}
	signal := startCall("signal", in.SignalName, nil, []any{in.SignalArg})
	if in.Options != nil {
		signal.to = in.Options.TaskQueue
	}
	arg, err := o.judged(ctx, signal)
	if err != nil {
		return nil, err
	}
	out := *in
	out.Args, out.SignalArg = args, arg[0]
	return o.Next.SignalWithStartWorkflow(ctx, &out)
}

// UpdateWithStartWorkflow judges the update. The start operation keeps its
// arguments to itself; the converter and the gRPC net look at those.
func (o *clientOutbound) UpdateWithStartWorkflow(ctx context.Context, in *sdkinterceptor.ClientUpdateWithStartWorkflowInput) (client.WorkflowUpdateHandle, error) {
	if in.UpdateOptions == nil {
		return o.Next.UpdateWithStartWorkflow(ctx, in)
	}
	c := call{kind: "update", name: in.UpdateOptions.UpdateName, args: in.UpdateOptions.Args, workflowID: in.UpdateOptions.WorkflowID}
	c.texts = nonEmpty("update_id", in.UpdateOptions.UpdateID, "run_id", in.UpdateOptions.RunID, "first_run_id", in.UpdateOptions.FirstExecutionRunID)
	args, err := o.anywhere(ctx, c)
	if err != nil {
		return nil, err
	}
	opts := *in.UpdateOptions
	opts.Args = args
	out := *in
	out.UpdateOptions = &opts
	return o.Next.UpdateWithStartWorkflow(ctx, &out)
}

func (o *clientOutbound) SignalWorkflow(ctx context.Context, in *sdkinterceptor.ClientSignalWorkflowInput) error {
	c := call{kind: "signal", name: in.SignalName, args: []any{in.Arg}, workflowID: in.WorkflowID}
	c.texts = nonEmpty("run_id", in.RunID)
	args, err := o.anywhere(ctx, c)
	if err != nil {
		return err
	}
	out := *in
	out.Arg = args[0]
	return o.Next.SignalWorkflow(ctx, &out)
}

func (o *clientOutbound) UpdateWorkflow(ctx context.Context, in *sdkinterceptor.ClientUpdateWorkflowInput) (client.WorkflowUpdateHandle, error) {
	c := call{kind: "update", name: in.UpdateName, args: in.Args, workflowID: in.WorkflowID}
	c.texts = nonEmpty("update_id", in.UpdateID, "run_id", in.RunID, "first_run_id", in.FirstExecutionRunID)
	args, err := o.anywhere(ctx, c)
	if err != nil {
		return nil, err
	}
	out := *in
	out.Args = args
	return o.Next.UpdateWorkflow(ctx, &out)
}

func (o *clientOutbound) QueryWorkflow(ctx context.Context, in *sdkinterceptor.ClientQueryWorkflowInput) (converter.EncodedValue, error) {
	c := call{kind: "query", name: in.QueryType, args: in.Args, workflowID: in.WorkflowID}
	c.texts = nonEmpty("run_id", in.RunID)
	args, err := o.anywhere(ctx, c)
	if err != nil {
		return nil, err
	}
	out := *in
	out.Args = args
	return o.Next.QueryWorkflow(ctx, &out)
}

func (o *clientOutbound) CancelWorkflow(ctx context.Context, in *sdkinterceptor.ClientCancelWorkflowInput) error {
	out := *in
	out.Reason = o.cleanNote(in.Reason) // clean-up never refuses: the note is cleaned instead
	return o.Next.CancelWorkflow(ctx, &out)
}

func (o *clientOutbound) TerminateWorkflow(ctx context.Context, in *sdkinterceptor.ClientTerminateWorkflowInput) error {
	out := *in
	out.Reason = o.cleanNote(in.Reason)
	out.Details = make([]any, len(in.Details))
	for i, d := range in.Details {
		cleaned, _, err := cleaner{hidden: o.g.hidden, as: o.g.nobody, literals: true}.value(d)
		if err != nil {
			cleaned = withheldText
		}
		out.Details[i] = cleaned
	}
	return o.Next.TerminateWorkflow(ctx, &out)
}

func (o *clientOutbound) CancelActivity(ctx context.Context, in *sdkinterceptor.ClientCancelActivityInput) error {
	out := *in
	out.Reason = o.cleanNote(in.Reason)
	return o.Next.CancelActivity(ctx, &out)
}

func (o *clientOutbound) TerminateActivity(ctx context.Context, in *sdkinterceptor.ClientTerminateActivityInput) error {
	out := *in
	out.Reason = o.cleanNote(in.Reason)
	return o.Next.TerminateActivity(ctx, &out)
}

func (o *clientOutbound) CancelNexusOperation(ctx context.Context, in *sdkinterceptor.ClientCancelNexusOperationInput) error {
	out := *in
	out.Reason = o.cleanNote(in.Reason)
	return o.Next.CancelNexusOperation(ctx, &out)
}

func (o *clientOutbound) TerminateNexusOperation(ctx context.Context, in *sdkinterceptor.ClientTerminateNexusOperationInput) error {
	out := *in
	out.Reason = o.cleanNote(in.Reason)
	return o.Next.TerminateNexusOperation(ctx, &out)
}

func (o *clientOutbound) PauseActivity(ctx context.Context, in *sdkinterceptor.ClientPauseActivityInput) error {
	out := *in
	if in.Options != nil {
		opts := *in.Options
		opts.Reason = o.cleanNote(opts.Reason)
		out.Options = &opts
	}
	return o.Next.PauseActivity(ctx, &out)
}

func (o *clientOutbound) UnpauseActivity(ctx context.Context, in *sdkinterceptor.ClientUnpauseActivityInput) error {
	out := *in
	if in.Options != nil {
		opts := *in.Options
		opts.Reason = o.cleanNote(opts.Reason)
		out.Options = &opts
	}
	return o.Next.UnpauseActivity(ctx, &out)
}

// UpdateActivityOptions changes where and how a standalone activity is tried again.
func (o *clientOutbound) UpdateActivityOptions(ctx context.Context, in *sdkinterceptor.ClientUpdateActivityOptionsInput) (*sdkinterceptor.ClientUpdateActivityOptionsOutput, error) {
	c := call{kind: "activity options", name: in.ActivityID, to: o.g.assumedQueue()}
	c.texts = nonEmpty("run_id", in.RunID)
	if u := in.Update; u != nil {
		// A change without a value clears the option.
		if u.TaskQueue != nil && u.TaskQueue.Value != nil && *u.TaskQueue.Value != "" {
			c.to = *u.TaskQueue.Value
		}
		if u.RetryPolicy != nil {
			c.texts = addRetry(c.texts, u.RetryPolicy.Value)
		}
		if u.Priority != nil && u.Priority.Value != nil {
			c.texts = addText(c.texts, "fairness_key", u.Priority.Value.FairnessKey)
		}
	}
	if _, err := o.judged(ctx, c); err != nil {
		return nil, err
	}
	return o.Next.UpdateActivityOptions(ctx, in)
}

func (o *clientOutbound) cleanNote(s string) string {
	out, _ := cleaner{hidden: o.g.hidden, as: o.g.nobody, literals: true}.text(s)
	return out
}

func (o *clientOutbound) CreateSchedule(ctx context.Context, in *sdkinterceptor.ScheduleClientCreateInput) (client.ScheduleHandle, error) {
	if in.Options == nil {
		return o.Next.CreateSchedule(ctx, in)
	}
	opts := *in.Options
	c := call{kind: "schedule", name: opts.ID, memo: opts.Memo}
	c.texts = addSpec(nonEmpty("note", opts.Note, "schedule_id", opts.ID), opts.Spec)
	c.attributes = searchAttributes(opts.SearchAttributes, opts.TypedSearchAttributes)
	action, _ := opts.Action.(*client.ScheduleWorkflowAction)
	if action != nil {
		c.to, c.args = action.TaskQueue, action.Args
		c.texts = addText(c.texts, "workflow_id", action.ID)
		if name, ok := action.Workflow.(string); ok {
			c.texts = addText(c.texts, "workflow_type", name)
		}
		c.texts = addText(c.texts, "summary", action.StaticSummary)
		c.texts = addText(c.texts, "details", action.StaticDetails)
		c.texts = addText(c.texts, "fairness_key", action.Priority.FairnessKey)
		c.texts = addVersion(addRetry(c.texts, action.RetryPolicy), action.VersioningOverride)
		c.memo = merged(c.memo, action.Memo)
		c.attributes = merged(c.attributes, searchAttributes(nil, action.TypedSearchAttributes))
		for k, p := range action.UntypedSearchAttributes {
			c.attributes = merged(c.attributes, map[string]any{k: converter.NewRawValue(p)})
		}
	}
	args, err := o.judged(ctx, c)
	if err != nil {
		return nil, err
	}
	if action != nil {
		copied := *action
		copied.Args = args
		opts.Action = &copied
	}
	return o.Next.CreateSchedule(ctx, &sdkinterceptor.ScheduleClientCreateInput{Options: &opts})
}

// merged returns what to look at of two maps: the values of both, told apart when
// they share a key.
func merged(a, b map[string]any) map[string]any {
	if len(a) == 0 {
		return b
	}
	out := maps.Clone(a)
	for k, v := range b {
		if _, taken := out[k]; taken {
			v = []any{out[k], v}
		}
		out[k] = v
	}
	return out
}

// ExecuteActivity starts a standalone activity: no workflow stands behind it, so
// the destination's policy alone governs.
func (o *clientOutbound) ExecuteActivity(ctx context.Context, in *sdkinterceptor.ClientExecuteActivityInput) (client.ActivityHandle, error) {
	c := call{kind: "activity", name: in.ActivityType, args: in.Args, activity: true}
	if in.Options != nil {
		c.to = in.Options.TaskQueue
		c.texts = nonEmpty("activity_id", in.Options.ID, "summary", in.Options.Summary, "details", in.Options.StaticDetails, "fairness_key", in.Options.Priority.FairnessKey)
		c.texts = addRetry(c.texts, in.Options.RetryPolicy)
		c.attributes = searchAttributes(nil, in.Options.TypedSearchAttributes)
	}
	args, err := o.judged(ctx, c)
	if err != nil {
		return nil, err
	}
	out := *in
	out.Args = args
	return o.Next.ExecuteActivity(ctx, &out)
}

func (o *clientOutbound) ExecuteNexusOperation(ctx context.Context, in *sdkinterceptor.ClientExecuteNexusOperationInput) (client.NexusOperationHandle, error) {
	c := call{kind: "Nexus operation", name: in.OperationType, args: []any{in.Input}}
	if in.Options != nil {
		c.texts = nonEmpty("operation_id", in.Options.ID, "summary", in.Options.Summary)
		c.attributes = searchAttributes(nil, in.Options.SearchAttributes)
	}
	c.texts = addText(addText(c.texts, "endpoint", in.Endpoint), "service", in.Service)
	c.texts = addHeaders(c.texts, in.NexusHeader)
	args, err := o.anywhere(ctx, c)
	if err != nil {
		return nil, err
	}
	out := *in
	out.Input = args[0]
	return o.Next.ExecuteNexusOperation(ctx, &out)
}

// anywhere judges a call whose destination queue the client does not know: by the
// policy of Options.TaskQueue, else by the default one, else by the first entry
// that enforces.
func (o *clientOutbound) anywhere(ctx context.Context, c call) ([]any, error) {
	c.to = o.g.assumedQueue()
	return o.judged(ctx, c)
}

// unknownQueue is no queue's name: only a default or "*" covers it.
const unknownQueue = "(unknown)"

func (g *guard) assumedQueue() string {
	if g.taskQueue != "" {
		return g.taskQueue
	}
	if _, ok := g.policyFor("", unknownQueue); ok {
		return unknownQueue
	}
	if l, ok := g.policies.(entryLister); ok {
		for _, entry := range l.Entries() {
			if p, ok := g.policyFor("", entry); ok && p.Mode() == validation.ModeEnforce {
				return entry
			}
		}
	}
	return unknownQueue
}
