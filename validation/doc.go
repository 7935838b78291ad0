// Package validation judges manifests, run configs and the use of secrets by a
// policy file, and finds credentials that stand in text. It is pure: it imports
// neither the Temporal SDK nor a logger, and only [LoadPolicies] and [Watch]
// touch the file system.
//
// # Usage
//
// Load the file once, or follow it, and ask for the policy of a task queue:
//
//	policies, err := validation.LoadPolicies("policy.yaml")
//	...
//	policy, ok := policies.PolicyFor(validation.Queue{Namespace: "prod", Name: "agents"})
//	if !ok {
//		// no entry and no default: the queue is denied
//	}
//	violations := policy.CheckManifest(manifest, "StartJob/0/manifest")
//
// *[Policies] is what the options of package interceptor take. The file is
// described in docs/policy.md, the rules in docs/errors.md; [Schema] returns its
// JSON Schema.
//
// # Denied by default
//
// What the file does not list is refused. The zero [Policies] has no queue, the
// zero [Policy] refuses every manifest, the zero [Grant] and [Secret] grant
// nothing, the zero [LiteralsMode] and [LiteralMode] refuse.
//
// # What never enters history
//
// A policy names secrets and holds none. No violation, problem or error quotes a
// value, a path of the host, user-info of a URL or text of another library: paths
// show known keys, and other keys by the rule of [SafeSegment].
//
// A reference with placeholders is filled from the run's namespace, task queue
// and workflow id only, never from a payload: see [Secret.RefFor].
//
// # Errors
//
// [*FileError] lists the problems of a policy file with their places, [*Error] the
// violations of a value. Violations have stable rule ids; [Rules] lists them with
// their texts.
//
// # Concurrency
//
// A [Policy] never changes. [Policies] change as a whole when [Watch] takes a new
// file; a Policy that was asked for before stays as it was. Everything may be used
// by any number of goroutines.
package validation
