package audit

import "time"

// Action says what a [Record] is about. The values are part of the format.
type Action string

// The actions.
const (
	// ActionStart: a worker started; the record names its queue and policy.
	ActionStart Action = "start"
	// ActionAllow: an activity attempt or a client's call that carries a manifest,
	// a run config or a secret passed the policy. Calls without are not recorded.
	ActionAllow Action = "allow"
	// ActionDeny: a call, or a part of it, did not pass the policy.
	ActionDeny Action = "deny"
	// ActionResolve: a secret was asked of its provider.
	ActionResolve Action = "resolve"
	// ActionInject: a secret was put into an activity's input.
	ActionInject Action = "inject"
	// ActionRedact: secrets were hidden in what an activity gave back.
	ActionRedact Action = "redact"
	// ActionTaint: a credential was found in what is already in history.
	ActionTaint Action = "taint"
)

// Outcome says how an [Action] ended. The values are part of the format.
type Outcome string

// The outcomes.
const (
	// OutcomeOK: it was done.
	OutcomeOK Outcome = "ok"
	// OutcomeRefused: it was refused and did not happen.
	OutcomeRefused Outcome = "refused"
	// OutcomeReported: it would have been refused, and passed since the policy
	// only reports.
	OutcomeReported Outcome = "reported"
	// OutcomeFailed: it was tried and failed.
	OutcomeFailed Outcome = "failed"
)

// Record is one line of the audit. It holds names and never a value; the one
// who makes it answers for that. Fields that do not apply are zero and left out
// of the JSON, whose member names are part of the format.
type Record struct {
	// Time is when it happened.
	Time time.Time `json:"time,omitzero"`
	// Action says what happened.
	Action Action `json:"action"`
	// Outcome says how it ended.
	Outcome Outcome `json:"outcome,omitempty"`
	// Mode is that of the policy, "report" or "enforce".
	Mode string `json:"mode,omitempty"`
	// Namespace and Queue are those of the worker or the call.
	Namespace string `json:"namespace,omitempty"`
	Queue     string `json:"task_queue,omitempty"`
	// Workflow is the type of the workflow; WorkflowID and RunID name the run.
	Workflow   string `json:"workflow_type,omitempty"`
	WorkflowID string `json:"workflow_id,omitempty"`
	RunID      string `json:"run_id,omitempty"`
	// Activity is the type of the activity; ActivityID and Attempt, from 1,
	// name the attempt.
	Activity   string `json:"activity_type,omitempty"`
	ActivityID string `json:"activity_id,omitempty"`
	Attempt    int32  `json:"attempt,omitempty"`
	// Ref is the reference to a secret, Secret and Owner are the policy's name
	// of it and of who answers for it.
	Ref    string `json:"ref,omitempty"`
	Secret string `json:"secret,omitempty"`
	Owner  string `json:"owner,omitempty"`
	// Destination says where a secret went, such as "activity:PushTag/0/token".
	Destination string `json:"destination,omitempty"`
	// Rule and Path are those of a violation.
	Rule string `json:"rule,omitempty"`
	Path string `json:"path,omitempty"`
	// PolicyDigest names the policy that decided.
	PolicyDigest string `json:"policy_digest,omitempty"`
	// Version is the provider's name of the version of the secret.
	Version string `json:"version,omitempty"`
	// Key identifies what is recorded, so that a repetition can be told.
	Key string `json:"key,omitempty"`
	// Detail is a fixed text.
	Detail string `json:"detail,omitempty"`
	// Count is a number of hits.
	Count int `json:"count,omitempty"`
}
