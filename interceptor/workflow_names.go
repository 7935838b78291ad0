package interceptor

import (
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/validation"
)

// GetVersion stops a workflow task that would record a value in a change id: the
// id is in a marker and, in plain text whatever codec is in use, in a search
// attribute, and one that a net edits is not found again on replay.
func (o *workflowOutbound) GetVersion(ctx workflow.Context, changeID string, minSupported, maxSupported workflow.Version) workflow.Version {
	if !o.versions[changeID] {
		o.mustBeName(ctx, "change id of GetVersion", changeID)
	}
	// One that stands in history already is not recorded again.
	if o.versions == nil {
		o.versions = map[string]bool{}
	}
	o.versions[changeID] = true
	return o.Next.GetVersion(ctx, changeID, minSupported, maxSupported)
}

// mustBeName panics, outside replay, when a name that workflow code chose holds a
// value and the call can return no error. A worker with the default panic policy
// then tries the task again until the code is changed; nothing of the task is
// recorded. What is in history already passes, so that no recorded run breaks.
func (o *workflowOutbound) mustBeName(ctx workflow.Context, what, name string) {
	if o.run.inactive || o.Next.IsReplaying(ctx) || !o.run.g.hidden.ContainsString(name) {
		return
	}
	v := violation(validation.RuleLiteralCredential, "/name")
	v.Detail = "must not hold a secret that this worker resolves: names are not hidden"
	v.Fix = "make the name from something else"
	info := o.Next.GetInfo(ctx)
	ref := refusal{Subject: what + " refused, nothing was recorded", Queue: info.TaskQueueName, Violations: []validation.Violation{v}}
	o.run.g.trail.add(o.run.denial(info, ref, what))
	panic(ref.err(ErrorTypePolicyViolation))
}
