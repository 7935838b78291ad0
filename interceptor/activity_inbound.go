package interceptor

import (
	"context"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/validation"
)

// activityInbound runs one activity attempt: it judges what arrived, puts the
// values in, and hides them in what comes back.
type activityInbound struct {
	sdkinterceptor.ActivityInboundInterceptorBase
	g     *guard
	queue string // the worker's base queue, or empty for that of the task
	ctx   context.Context
	out   *activityOutbound
	// inside names an interceptor that stands between the guard and the activity
	// and is not allowed to.
	inside string
}

// Init places the outbound part. Of two copies the innermost works: no user
// interceptor stands inside it.
func (i *activityInbound) Init(next sdkinterceptor.ActivityOutboundInterceptor) error {
	i.out = &activityOutbound{g: i.g}
	i.out.Next = next
	// Whoever is further out learns that this copy exists.
	next.GetInfo(context.WithValue(i.ctx, probeKey{}, &probe{}))
	return i.Next.Init(i.out)
}

// activityOutbound is what an activity says while it runs.
type activityOutbound struct {
	sdkinterceptor.ActivityOutboundInterceptorBase
	g *guard
	// outer is true when another copy of the guard stands further in, and does
	// the work.
	outer bool
	// cleaner is set for the time of an attempt.
	cleaner cleaner
	// judged describes the attempt's heartbeats, for what is only reported.
	judged *call
}

func (o *activityOutbound) GetInfo(ctx context.Context) activity.Info {
	if _, ok := ctx.Value(probeKey{}).(*probe); ok {
		o.outer = true
	}
	return o.Next.GetInfo(ctx)
}

func (o *activityOutbound) GetLogger(ctx context.Context) log.Logger {
	return o.g.redactingLogger(o.Next.GetLogger(ctx))
}

func (o *activityOutbound) GetMetricsHandler(ctx context.Context) client.MetricsHandler {
	return hidingMetrics{hidden: o.g.hidden, MetricsHandler: o.Next.GetMetricsHandler(ctx)}
}

func (o *activityOutbound) RecordHeartbeat(ctx context.Context, details ...any) {
	c := o.cleaner
	if c.hidden == nil {
		c.hidden = o.g.hidden
	}
	out := make([]any, len(details))
	for i, d := range details {
		nv, hits, err := c.value(d)
		if err != nil {
			nv, hits = withheldText, 1
		}
		if o.judged != nil {
			c := *o.judged
			c.args = []any{d}
			o.g.tellOf(o.Next.GetMetricsHandler(ctx), c)
		}
		if out[i] = nv; hits > 0 {
			o.Next.GetMetricsHandler(ctx).WithTags(map[string]string{"channel": "heartbeat"}).Counter(metricRedactions).Inc(int64(hits))
		}
	}
	o.Next.RecordHeartbeat(ctx, out...)
}

func (i *activityInbound) ExecuteActivity(ctx context.Context, in *sdkinterceptor.ExecuteActivityInput) (result any, err error) {
	if i.out == nil || i.out.outer {
		return i.Next.ExecuteActivity(ctx, in)
	}
	info := activity.GetInfo(ctx)
	if isSessionActivity(info.ActivityType.Name) {
		return i.Next.ExecuteActivity(ctx, in)
	}
	a := i.attempt(ctx, info)
	defer a.close()
	ctx, args, err := a.prepare(ctx, in.Args)
	if err != nil {
		if isOperation(in.Args) { // who sends a command must know whether it ran
			err = operation.Unbegun(err, info.Attempt)
		}
		return nil, err
	}
	i.out.cleaner = a.cleaner
	beat := a.call(nil)
	beat.kind = "heartbeat of activity"
	i.out.judged = &beat
	defer a.over.Store(true)
	if restore := inPlace(info, in.Args, args); restore != nil {
		defer restore()
	}
	defer func() {
		// A panic is recorded with its text. Panicking again from here keeps the
		// stack of the first one: this runs on top of it.
		if p := recover(); p != nil {
			panic(a.cleaner.panicValue(p))
		}
	}()
	result, err = i.Next.ExecuteActivity(ctx, &sdkinterceptor.ExecuteActivityInput{Args: args})
	return a.finish(result, err)
}

// testRunID is the run id that the SDK's test environment gives every workflow;
// the server's are UUIDs.
const testRunID = "default-test-run-id"

// inPlace makes a local activity in the SDK's test environment see what was
// injected: that environment calls the activity with the slice it was scheduled
// with and drops what interceptors pass on. The slice is the guard's own
// (workflowOutbound.ExecuteLocalActivity); its elements are put back afterwards.
func inPlace(info activity.Info, original, args []any) (restore func()) {
	if !info.IsLocalActivity || info.WorkflowExecution.RunID != testRunID || len(original) != len(args) {
		return nil
	}
	saved := append([]any(nil), original...)
	copy(original, args)
	return func() { copy(original, saved) }
}

// An attempt is one run of an activity.
type attempt struct {
	g        *guard
	info     activity.Info
	metrics  client.MetricsHandler
	queue    string
	policy   validation.Policy
	listed   bool
	scope    secrets.Scope
	job      string // see jobOf
	cleaner  cleaner
	holder   *redact.Holder        // of what the attempt's job is given
	scribe   *scribe               // for the time of preparing
	resolves client.MetricsCounter // nil before the first
	inside   string
	unnamed  []site       // see injection
	began    time.Time    // grants are due or not as of then
	asking   bool         // the activity runs and asks for a secret
	over     *atomic.Bool // set when the attempt has ended
}

func (i *activityInbound) attempt(ctx context.Context, info activity.Info) *attempt {
	return i.attemptOf(info, activity.GetMetricsHandler(ctx))
}

func (i *activityInbound) attemptOf(info activity.Info, metrics client.MetricsHandler) *attempt {
	a := &attempt{g: i.g, info: info, metrics: metrics, queue: i.queue, inside: i.inside, began: i.g.now(), over: new(atomic.Bool)}
	if a.queue == "" {
		a.queue = info.TaskQueue
	}
	a.policy, a.listed = i.g.policyFor(info.Namespace, a.queue)
	a.holder = i.g.hidden.NewHolder()
	a.cleaner = cleaner{hidden: i.g.hidden, as: a.holder, literals: a.listed && a.policy.Literals() == validation.LiteralsEnforce}
	workflowType := ""
	if info.WorkflowType != nil {
		workflowType = info.WorkflowType.Name
	}
	a.scope = secrets.Scope{
		Namespace: info.Namespace, TaskQueue: a.queue, WorkflowType: workflowType,
		WorkflowID: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID,
		ActivityType: info.ActivityType.Name, ActivityID: info.ActivityID, Attempt: info.Attempt,
		Standalone: info.WorkflowExecution.ID == "", Local: info.IsLocalActivity,
	}
	a.job = jobOf(a.scope)
	for _, v := range i.g.jobs.of(a.job, a.began) {
		_ = i.g.give(a.holder, v.name, v.ref, v.value, v.ends) // it was fit before
	}
	return a
}

func (a *attempt) call(args []any) call {
	return call{
		kind: "activity", name: a.info.ActivityType.Name, namespace: a.info.Namespace, own: a.queue,
		runType: a.scope.WorkflowType, workflowID: a.scope.WorkflowID, args: args, activity: true,
		pinned: &pinnedPolicy{a.policy, a.listed}, as: a.holder,
	}
}

// record starts an audit record of this attempt.
func (a *attempt) record(action audit.Action, outcome audit.Outcome) audit.Record {
	r := audit.Record{
		Time: a.g.now(), Action: action, Outcome: outcome, Namespace: a.info.Namespace, Queue: a.queue,
		Workflow: a.scope.WorkflowType, WorkflowID: a.scope.WorkflowID, RunID: a.scope.RunID,
		Activity: a.scope.ActivityType, ActivityID: a.scope.ActivityID, Attempt: a.scope.Attempt,
	}
	if a.listed {
		r.Mode, r.PolicyDigest = a.policy.Mode().String(), a.policy.Digest()
	}
	return r
}

// prepare returns the context and the arguments to run the activity with.
func (a *attempt) prepare(ctx context.Context, original []any) (context.Context, []any, error) {
	if a.listed && !endsSession(argsOf(original)) {
		if err := a.g.hideListed(ctx, a.policy, a.scope, a.holder); err != nil {
			return ctx, nil, a.unavailable("redact")
		}
	}
	v := a.g.judge(a.call(argsOf(original)))
	a.g.tell(a.metrics, v)
	if err := a.refuse(v); err != nil {
		return ctx, nil, err
	}
	a.scribe = &scribe{sink: a.g.sink}
	defer a.scribe.close()
	plan := a.places(v.args, v.guardData)
	a.unnamed = plan.unnamed
	if err := plan.problem(a); err != nil {
		return ctx, nil, err
	}
	if len(plan.sites) > 0 && a.inside != "" {
		return ctx, nil, a.insideErr()
	}
	if err := a.allow(ctx, v, len(plan.sites) > 0); err != nil {
		return ctx, nil, err
	}
	values, err := a.resolveAll(ctx, plan)
	if err != nil {
		return ctx, nil, err
	}
	if len(plan.sites) > 0 && a.scope.Local {
		// What the activity writes a value into, a map or a pointer, must not be
		// the workflow's own.
		v.args = detached(v.args)
	}
	args, err := a.inject(v.args, plan, values)
	if err != nil {
		return ctx, nil, err
	}
	ctx = a.withBinder(a.withGetter(ctx), v.args)
	if len(plan.sites) == 0 && sameSlice(args, v.args) && sameSlice(v.args, v.call.args) {
		return ctx, original, nil
	}
	return ctx, argsFor(original, args), nil
}

func sameSlice(a, b []any) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// close ends the attempt's hold on its values: they stay hidden for a while.
func (a *attempt) close() {
	countForeign(a.metrics, a.queue, a.holder)
	a.holder.End()
	a.g.countRetained()
	a.g.countFailures()
}

// finish hides secrets in what the activity returned. Where that failed nothing of
// the result leaves: nobody knows what is in it.
func (a *attempt) finish(result any, err error) (any, error) {
	before := a.g.hidden.Failures()
	out, err := a.finished(result, err)
	if a.g.hidden.Failures() > before {
		a.redacted("result", 1)
		return nil, a.withheld()
	}
	return out, err
}

func (a *attempt) finished(result any, err error) (any, error) {
	if err == nil && a.passes(result) {
		return result, nil
	}
	hidden := cleaner{hidden: a.g.hidden, as: a.holder}
	out, hits, failure := hidden.value(result)
	if failure != nil {
		a.redacted("result", 1)
		return nil, a.withheld()
	}
	if hits > 0 {
		a.redacted("result", hits)
	}
	if err != nil {
		err = a.ended(err)
		c := a.call(textsOf(err))
		c.kind = "error of activity"
		a.g.tellOf(a.metrics, c)
		cleaned := a.g.cleanError(err, a.cleaner)
		if !unchanged(cleaned, err) {
			a.redacted("error", 1)
		}
		return out, cleaned
	}
	if a.judgesResult() && out != nil {
		c := a.call([]any{out})
		c.kind, c.activity = "result of activity", false
		v := a.g.judge(c)
		a.g.tell(a.metrics, v)
		if vs, s := v.refused(); len(vs) > 0 {
			countRefusals(a.metrics, s.queue, s.policy.Mode(), vs)
			ref := refusalOf("result of activity "+c.name+" refused, the activity has run and nothing of its result was recorded", vs, s)
			a.deny(ref)
			return nil, ref.err(ErrorTypePolicyViolation)
		}
	}
	return out, nil
}

// judgesResult is true where the policy has a say in what an activity returns.
func (a *attempt) judgesResult() bool {
	return a.listed && a.policy.Literals() != validation.LiteralsOff
}

// passes reports that there is nothing to hide in a result and nothing to judge, and
// finds that out by looking at it once.
func (a *attempt) passes(result any) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	judged := a.judgesResult()
	if judged && a.g.hidden.ContainsString(a.info.ActivityType.Name) {
		return false
	}
	f := finder{guard: judged, objects: judged, encoded: true, text: &search{hidden: a.g.hidden, literals: judged, named: true}}
	const below = 2 // a judgement begins below the argument's index
	return !f.any(result, "", maxDepth-below)
}

func (a *attempt) redacted(channel string, hits int) {
	a.metrics.WithTags(map[string]string{"channel": channel}).Counter(metricRedactions).Inc(int64(hits))
	r := a.record(audit.ActionRedact, audit.OutcomeOK)
	r.Detail, r.Count = channel, hits
	a.g.trail.add(r)
}

func (a *attempt) deny(ref refusal) {
	r := a.record(audit.ActionDeny, audit.OutcomeRefused)
	r.Count = len(ref.Violations) + ref.More
	if r.Count > 0 {
		r.Rule, r.Path = ref.Violations[0].Rule, ref.Violations[0].Path
	}
	a.g.trail.add(r)
}

// isSDK reports whether an interceptor in a chain is the SDK's own end of it.
func isSDK(v any) bool {
	t := reflect.TypeOf(v)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == "go.temporal.io/sdk/internal"
}

// foreignInside names the interceptor next when it is neither the SDK's nor a
// copy of the guard nor allowed.
func (g *guard) foreignInside(next sdkinterceptor.ActivityInboundInterceptor) string {
	if _, ours := next.(*activityInbound); ours || isSDK(next) {
		return ""
	}
	name := fmt.Sprintf("%T", next)
	if g.allowInside[name] {
		return ""
	}
	return name
}
