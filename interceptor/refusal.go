package interceptor

import (
	"strconv"

	commonpb "go.temporal.io/api/common/v1"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/validation"
)

// A channel is a way out of workflow code that has a counter of its own, so that
// guarding one more channel later shifts none of the recorded ordinals. The
// letters are part of the public marker layout.
type channel string

const (
	channelStart         channel = "w"
	channelResult        channel = "r"
	channelUpdate        channel = "u"
	channelActivity      channel = "a"
	channelLocalActivity channel = "l"
	channelChild         channel = "c"
	channelContinue      channel = "k"
	channelSignal        channel = "s"
	channelMemo          channel = "m"
	channelSearch        channel = "t"
	channelNexus         channel = "n"
	channelCancel        channel = "x"
)

// markerPrefix starts the change id of every marker: "sbx/" channel ordinal.
const markerPrefix = "sbx/"

// maxCode bounds the version that a marker holds; the version is the code of the
// first violation's rule.
const maxCode = workflow.Version(1 << 15)

// ruleCodes give the version of a marker. The list is part of the public marker
// layout: it is only ever appended to. A rule that is not in it has code 1.
var ruleCodes = []string{
	"", "", validation.RuleLiteralCredential, validation.RuleLiteralInSecretField, validation.RuleSecretUntypedPlace,
	validation.RuleSecretNotGranted, validation.RuleSecretReviewOverdue, validation.RuleQueueUnlisted,
	validation.RuleWorkflowUnlisted, validation.RuleHostPathGrant, validation.RuleLiveSession,
	validation.RulePathGrantRoot, validation.RulePathGrantRelative, validation.RulePathGrantUnlisted,
	validation.RuleEntryPathEscape, validation.RuleEntryKind, validation.RuleEntryHostPath,
	validation.RuleMountCredential, validation.RuleEnvLiteralCredential, validation.RuleEnvLiteralUnlisted,
	validation.RuleClientOptionCredential, validation.RuleNetworkMode, validation.RuleUnknownKey,
	validation.RuleManifestSize, validation.RuleInputMissing, validation.RuleWrongType,
	validation.RuleDestinationNotFixed, validation.RuleSecretScope,
}

func codeOf(rule string) workflow.Version {
	for code, id := range ruleCodes {
		if id == rule && id != "" {
			return workflow.Version(code)
		}
	}
	return 1
}

// A run is the guard's state of one workflow run. It lives on the workflow's
// dispatcher, so it needs no lock.
type run struct {
	g        *guard
	ordinals map[channel]int
	// tainted is set when input that policy refuses reached the run and
	// Options.FailTainted is on. It decides only what is recorded anyway
	// (refusals) and how the run ends, so replay does not depend on it.
	tainted []validation.Violation
	// judgedContinue is a copy of the continue-as-new error that was judged when it
	// was made: workflow code may change what it holds.
	judgedContinue *workflow.ContinueAsNewError
	// readOnly is true while a query handler or an update's validator runs. What
	// they ask for leaves no event and is not part of the run that is replayed, so
	// nothing of it is counted or recorded.
	readOnly bool
	// outermost is true when no interceptor stands outside the guard and sees how
	// the run ends.
	outermost bool
	// root is the run's first context, with the converter of the worker.
	root workflow.Context
	// inactive is true for a second copy of the guard on one run.
	inactive bool
}

func newRun(g *guard, root workflow.Context) *run {
	return &run{g: g, root: root, ordinals: map[channel]int{}}
}

// remember keeps what a judged continue-as-new error holds.
//
//workflowcheck:ignore
func (r *run) remember(err error) {
	if next, ok := err.(*workflow.ContinueAsNewError); ok { //nolint:errorlint // the SDK's own, just made
		r.judgedContinue = &workflow.ContinueAsNewError{TaskQueueName: next.TaskQueueName}
		if next.Input != nil {
			r.judgedContinue.Input = proto.Clone(next.Input).(*commonpb.Payloads)
		}
	}
}

// judged reports whether a continue-as-new error holds what was judged. It is
// asked live only.
//
//workflowcheck:ignore
func (r *run) judged(next *workflow.ContinueAsNewError) bool {
	return r.judgedContinue != nil && next.TaskQueueName == r.judgedContinue.TaskQueueName && proto.Equal(next.Input, r.judgedContinue.Input)
}

// next counts a call. Every call on a channel is counted, whatever it carries
// and whatever policy says: an ordinal that depended on policy would break replay.
func (r *run) next(ch channel) int {
	r.ordinals[ch]++
	return r.ordinals[ch]
}

// decide settles what becomes of a call in workflow code, the same way on every
// replay, and returns the error to refuse it with, or nil to let it go.
//
// Live, the call is judged; a refusal is recorded as a version marker and one
// side effect that holds its value-free text, and nothing is recorded of an
// allowed call. Replaying, policy is not asked: a marker means it was refused,
// no marker means that it went out. It is looked up for every call, whatever the
// call carries today: code that a refusal made somebody change passes something
// else, and the refused run has to replay with it.
func (r *run) decide(ctx workflow.Context, next sdkinterceptor.WorkflowOutboundInterceptor, ch channel, judge func() (refusal, bool)) error {
	if r.readOnly {
		if ref, refused := judge(); refused {
			return ref.err(ErrorTypePolicyViolation)
		}
		return nil
	}
	id := markerPrefix + string(ch) + strconv.Itoa(r.next(ch))
	if next.IsReplaying(ctx) {
		if next.GetVersion(ctx, id, workflow.DefaultVersion, maxCode) == workflow.DefaultVersion {
			return nil
		}
		return r.record(ctx, next, refusal{}).err(ErrorTypePolicyViolation)
	}
	ref, refused := judge()
	if !refused {
		return nil
	}
	code := workflow.Version(1)
	if len(ref.Violations) > 0 {
		code = codeOf(ref.Violations[0].Rule)
	}
	// The answer is not used: a preferred-version provider of the user's could
	// choose another one, and the refusal stands whatever it says.
	next.GetVersion(ctx, id, code, code)
	ref = r.record(ctx, next, ref)
	r.g.trail.add(r.denial(next.GetInfo(ctx), ref, id))
	return ref.err(ErrorTypePolicyViolation)
}

// record writes the refusal as a side effect and reads it back, so that the
// error is the same live and on replay.
func (r *run) record(ctx workflow.Context, next sdkinterceptor.WorkflowOutboundInterceptor, ref refusal) refusal {
	var recorded refusal
	encoded := next.SideEffect(recording{Context: ctx, root: r.root}, func(workflow.Context) any { return ref })
	if encoded.Get(&recorded) != nil {
		recorded = refusal{Subject: "a call was refused; the record of why cannot be read"}
	}
	return recorded
}

// recording is the context of a call with the values of the run's first one. A
// record is the guard's own: a converter that workflow code chose for one call
// may not be able to encode it.
type recording struct {
	workflow.Context
	root workflow.Context
}

func (c recording) Value(key any) any {
	if v := c.root.Value(key); v != nil {
		return v
	}
	return c.Context.Value(key)
}

func (r *run) denial(info *workflow.Info, ref refusal, key string) audit.Record {
	rec := audit.Record{
		Time: r.g.now(), Action: audit.ActionDeny, Outcome: audit.OutcomeRefused, Mode: validation.ModeEnforce.String(),
		Namespace: info.Namespace, Queue: ref.Queue, Workflow: info.WorkflowType.Name,
		WorkflowID: info.WorkflowExecution.ID, RunID: info.WorkflowExecution.RunID,
		PolicyDigest: ref.Policy, Key: key, Count: len(ref.Violations) + ref.More,
	}
	if ref.Failure != nil {
		rec.Action, rec.Outcome, rec.Detail = audit.ActionRedact, audit.OutcomeOK, "error"
	}
	if len(ref.Violations) > 0 {
		rec.Rule, rec.Path = ref.Violations[0].Rule, ref.Violations[0].Path
	}
	return rec
}
