// Package interceptor is the guard: a Temporal plugin, or a set of interceptors,
// that keeps credentials out of workflow history. Import it as guard.
//
// # Usage
//
// Write a policy, register the plugin once on the client, and every worker made
// from that client is guarded:
//
//	policies, err := validation.LoadPolicies("policy.yaml")
//	...
//	plugin, err := guard.NewPlugin(guard.Options{Policies: policies})
//	...
//	c, err := client.Dial(client.Options{Plugins: []client.Plugin{plugin}})
//	w := worker.New(c, "deploys", worker.Options{})
//
// An activity gets a secret in one of three ways. A policy may bind a field of
// its input, with no change of code. The workflow may name the secret in a field
// of type secrets.Value. Or the activity asks with secrets.Get. In all three the
// policy grants the secret by name to that activity, and the value exists on the
// worker, for the time of the attempt.
//
// [New] and [NewClient] are the same guard as plain interceptors.
//
// # What never enters history
//
// What leaves workflow code or a client is judged by the policy of its task queue
// before it is sent: literal credentials, manifests and run configs that break
// policy, references in places where they cannot be told from text. What comes
// back from an activity (results, errors, panics, heartbeats, logs) is searched
// for the values that this worker resolved, and they are hidden. docs/threat-model.md
// says what is out of reach.
//
// # Errors
//
// Refusals are application errors with the types of this package's constants, not
// retryable, whose details hold the violations; [Violations] and [IsRefused] read
// them, also in workflow code. Outages are retryable.
//
// # Replay
//
// An allowed call adds no event, so a run without refusals replays with and
// without the guard, under any policy. A refusal is recorded as a version marker
// and a side effect; on replay the record decides and policy is not asked.
// docs/design.md has the layout, which is a public contract.
//
// # Concurrency
//
// Everything here is safe for concurrent use by several workers and clients.
package interceptor
