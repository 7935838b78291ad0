package interceptor

import (
	"errors"
	"strings"

	sdkinterceptor "go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/validation"
)

// probeKey carries a probe in a workflow or activity context.
type probeKey struct{}

// A probe finds out whether another copy of the guard stands on the same run or
// attempt: it travels along the outbound chain, through whatever stands between.
type probe struct{ found bool }

// workflowInbound is what reaches workflow code, and what it ends with.
type workflowInbound struct {
	sdkinterceptor.WorkflowInboundInterceptorBase
	ctx      workflow.Context
	run      *run
	outbound *workflowOutbound
}

// Init places the guard's outbound part. Of two copies on one run the one that is
// called first, which is the innermost outbound, works; another one finds it and
// stands down, since two active copies would both record and break replay.
func (i *workflowInbound) Init(next sdkinterceptor.WorkflowOutboundInterceptor) error {
	p := &probe{}
	asking := workflow.WithValue(i.ctx, probeKey{}, p)
	// Two ways, since an interceptor between the copies may answer one by itself.
	next.GetInfo(asking)
	next.IsReplaying(asking)
	i.run.inactive = p.found
	i.outbound = &workflowOutbound{run: i.run}
	i.outbound.Next = next
	return i.Next.Init(i.outbound)
}

// received describes what came in, which is judged as something that stands in
// this workflow's own history.
func (i *workflowInbound) received(ctx workflow.Context, kind, name string, args []any) call {
	c := i.outbound.call(ctx, kind, name, "", args)
	c.headers = sdkinterceptor.WorkflowHeader(ctx)
	return c
}

// taint judges input that is durable already: it is counted and recorded once,
// outside replay, and fails the run where Options.FailTainted says so.
func (i *workflowInbound) taint(ctx workflow.Context, c call) {
	g, next := i.run.g, i.outbound.Next
	live := !next.IsReplaying(ctx)
	if !live && !g.failTainted {
		return
	}
	v := g.judge(c)
	vs, s := v.refused()
	for _, sd := range v.sides {
		vs = append(vs, sd.reported()...)
	}
	if len(vs) == 0 {
		return
	}
	if s == nil {
		s = v.sides[0]
	}
	if live {
		next.GetMetricsHandler(ctx).WithTags(map[string]string{"queue": s.queue, "rule": vs[0].Rule}).Counter(metricTainted).Inc(1)
		rec := i.run.denial(next.GetInfo(ctx), refusalOf("", vs, s), v.call.kind+" "+v.call.name)
		rec.Action, rec.Outcome, rec.Mode = audit.ActionTaint, audit.OutcomeReported, s.policy.Mode().String()
		g.trail.add(rec)
		g.once("what came in is in history already and holds what policy refuses", s, v.call, vs)
	}
	if refused, _ := v.refused(); g.failTainted && len(refused) > 0 {
		i.run.tainted = refused
	}
}

func (r *run) taintRefusal() refusal {
	return refusal{Subject: "the workflow received data that policy refuses and was ended", Violations: r.tainted}
}

func (i *workflowInbound) ExecuteWorkflow(ctx workflow.Context, in *sdkinterceptor.ExecuteWorkflowInput) (result any, err error) {
	if i.run.inactive {
		return i.Next.ExecuteWorkflow(ctx, in)
	}
	i.taint(ctx, i.received(ctx, "workflow start", i.outbound.Next.GetInfo(ctx).WorkflowType.Name, argsOf(in.Args)))
	// A run that ends before its code ran has no commands where the code would
	// make some, so this end is recorded like a refused call.
	if err := i.run.decide(ctx, i.outbound.Next, channelStart, func() (refusal, bool) {
		return i.run.taintRefusal(), len(i.run.tainted) > 0
	}); err != nil {
		return nil, err
	}
	result, err = i.Next.ExecuteWorkflow(ctx, in)
	return i.ending(ctx, result, err)
}

// ending judges what a workflow ends with. The end itself is a terminal event,
// which replay does not compare; a refusal is recorded all the same, since an
// interceptor outside the guard may make calls because of it, and so is an error
// that was cleaned, where there may be such an interceptor.
func (i *workflowInbound) ending(ctx workflow.Context, result any, err error) (any, error) {
	name := i.outbound.Next.GetInfo(ctx).WorkflowType.Name
	refused := i.run.decide(ctx, i.outbound.Next, channelResult, func() (refusal, bool) {
		if len(i.run.tainted) > 0 {
			return i.run.taintRefusal(), true
		}
		var next *workflow.ContinueAsNewError
		switch {
		case errors.As(err, &next):
			c := i.outbound.call(ctx, "continue-as-new", name, next.TaskQueueName, nil)
			if next.WorkflowType != nil {
				c.texts = nonEmpty("workflow_type", next.WorkflowType.Name)
			}
			c.texts = addRetry(c.texts, next.RetryPolicy)
			if !i.run.judged(next) {
				c.args = []any{next.Input}
			}
			return i.refusalOf(ctx, c)
		case err == nil:
			return i.refusalOf(ctx, i.outbound.call(ctx, "result of workflow", name, "", []any{result}))
		}
		return i.cleaned(ctx, "workflow "+name, err)
	})
	switch {
	case refused != nil:
		return nil, refused
	case err != nil && !i.outbound.Next.IsReplaying(ctx):
		return result, i.cleanError(ctx, err)
	}
	return result, err
}

// refusalOf judges something live and tells what was found.
func (i *workflowInbound) refusalOf(ctx workflow.Context, c call) (refusal, bool) {
	v := i.run.g.judge(c)
	h := i.outbound.Next.GetMetricsHandler(ctx)
	i.run.g.tell(h, v)
	vs, s := v.refused()
	if len(vs) == 0 {
		return refusal{}, false
	}
	countRefusals(h, s.queue, s.policy.Mode(), vs)
	return refusalOf(v.call.subject(), vs, s), true
}

// judged returns the refusal of something that needs no record: nothing of it is
// replayed.
func (i *workflowInbound) judged(ctx workflow.Context, c call) error {
	ref, refused := i.refusalOf(ctx, c)
	if !refused {
		return nil
	}
	i.run.g.trail.add(i.run.denial(i.outbound.Next.GetInfo(ctx), ref, c.kind+" "+c.name))
	return ref.err(ErrorTypePolicyViolation)
}

// cleaned returns the record of an error that could not go out as it was.
func (i *workflowInbound) cleaned(ctx workflow.Context, of string, err error) (refusal, bool) {
	kind, name, _ := strings.Cut(of, " ")
	i.run.g.tellOf(i.outbound.Next.GetMetricsHandler(ctx), i.outbound.call(ctx, "error of "+kind, name, "", textsOf(err)))
	if i.run.outermost {
		return refusal{}, false
	}
	clean := i.cleanError(ctx, err)
	if unchanged(clean, err) {
		return refusal{}, false
	}
	return refusal{
		Subject: "the error of " + of + " was cleaned", Failure: failureOf(clean),
		Violations: []validation.Violation{violation(validation.RuleLiteralCredential, "/error")},
	}, true
}

func (i *workflowInbound) cleanError(ctx workflow.Context, err error) error {
	c, _, done := i.outbound.cleaner(ctx)
	defer done()
	return i.run.g.cleanError(err, c)
}

func (i *workflowInbound) HandleSignal(ctx workflow.Context, in *sdkinterceptor.HandleSignalInput) error {
	if !i.run.inactive {
		i.taint(ctx, i.received(ctx, "signal", in.SignalName, []any{in.Arg}))
	}
	return i.Next.HandleSignal(ctx, in)
}

func (i *workflowInbound) HandleQuery(ctx workflow.Context, in *sdkinterceptor.HandleQueryInput) (any, error) {
	defer i.reading()()
	result, err := i.Next.HandleQuery(ctx, in)
	if i.run.inactive {
		return result, err
	}
	if err != nil {
		return nil, i.cleanError(ctx, err)
	}
	// A query is answered on replayed state and recorded nowhere; its answer is
	// judged every time, and counted by the client's handler, since the run's own
	// counts nothing while it replays.
	g := i.run.g
	v := g.judge(i.outbound.call(ctx, "answer of query", in.QueryType, "", []any{result}))
	g.tell(g.meter(), v)
	vs, s := v.refused()
	if len(vs) == 0 {
		return result, nil
	}
	countRefusals(g.meter(), s.queue, s.policy.Mode(), vs)
	ref := refusalOf("answer of query "+v.call.name+" withheld", vs, s)
	g.trail.add(i.run.denial(i.outbound.Next.GetInfo(ctx), ref, v.call.kind+" "+v.call.name))
	return nil, ref.err(ErrorTypePolicyViolation)
}

// reading marks the time in which workflow code may only read.
func (i *workflowInbound) reading() (done func()) {
	i.run.readOnly = true
	return func() { i.run.readOnly = false }
}

// ValidateUpdate is the only hook on a worker that runs before an update's
// arguments are durable, and a rejection leaves no event.
func (i *workflowInbound) ValidateUpdate(ctx workflow.Context, in *sdkinterceptor.UpdateInput) error {
	if !i.run.inactive {
		if err := i.judged(ctx, i.received(ctx, "update", in.Name, in.Args)); err != nil {
			return err
		}
	}
	defer i.reading()()
	return i.Next.ValidateUpdate(ctx, in)
}

func (i *workflowInbound) ExecuteUpdate(ctx workflow.Context, in *sdkinterceptor.UpdateInput) (any, error) {
	result, err := i.Next.ExecuteUpdate(ctx, in)
	if i.run.inactive {
		return result, err
	}
	refused := i.run.decide(ctx, i.outbound.Next, channelUpdate, func() (refusal, bool) {
		if err != nil {
			return i.cleaned(ctx, "update "+in.Name, err)
		}
		return i.refusalOf(ctx, i.outbound.call(ctx, "result of update", in.Name, "", []any{result}))
	})
	switch {
	case refused != nil:
		return nil, refused
	case err != nil && !i.outbound.Next.IsReplaying(ctx):
		return nil, i.cleanError(ctx, err)
	}
	return result, err
}
