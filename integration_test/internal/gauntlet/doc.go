// Package gauntlet is a workflow that makes a call on every channel that the
// guard watches: activities, local activities, children, signals, memo, search
// attributes, continue-as-new, beside the workflow's own versions, side effects,
// coroutines and an update handler.
//
// Each call can carry something that a policy may refuse. What is refused is
// replaced by another kind of call, so that a run in which a refusal was
// forgotten, or invented, cannot replay. The recorded histories under
// testdata/histories/guarded, the replay table and the soak come from it.
package gauntlet
