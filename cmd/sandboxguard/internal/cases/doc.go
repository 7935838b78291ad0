// Package cases tests policy files by examples: calls of activities, and what must
// become of them. Each call is made by a workflow in the SDK's test environment
// under the real guard, so that an answer here is the answer on a worker. Nothing
// is resolved: every reference that is granted gets a made-up value.
package cases
