// Package secrets names secrets and holds them without showing them.
//
// A [Ref] is the name of a secret, such as env:REPORTS_API_TOKEN. It may be
// written down anywhere: in a policy file, in workflow code, in history. A
// [Value] is what a struct field or a sandbox manifest holds. It travels as its
// reference, and only on a worker, within one activity attempt, does it hold
// the secret itself.
//
// # Usage
//
// Workflow code names a secret and passes it on:
//
//	type PushTagInput struct {
//		Repository string
//		Token      secrets.Value
//	}
//
//	workflow.ExecuteActivity(ctx, PushTag, PushTagInput{
//		Repository: "example/app",
//		Token:      secrets.Env("DEPLOY_TOKEN"),
//	})
//
// The guard (package interceptor) puts the secret in before the activity runs,
// if the policy of the task queue grants it, and the activity reads it with
// [Value.Reveal]. An activity that does not get the secret as an input asks for
// it with [Get].
//
// The worker says where secrets come from with a [Resolver]: the environment
// ([NewEnvProvider]), a directory of files ([NewFileProvider]), a program's own
// (any type with a Resolve method), or several of them by name ([Providers]).
// Everything is closed by default: a provider that is given no [Allowlist]
// denies every name.
//
// Tests of activities use package secretstest for values that are resolved.
//
// # What never enters history
//
// A Value that is resolved shows its reference and nothing else in every verb
// of package fmt (also when it lies in an unexported field of another struct),
// in encoding/json, encoding/gob, encoding/xml, text and html templates, slog,
// zap, expvar, errors and panics, go-cmp, and in the Temporal data converter:
// what is recorded again is the name. [Value.Reveal] is the one way to the
// contents, so that a review can search for it. A template that calls it, as in
// {{.Token.Reveal}}, has asked for the contents.
//
// Decoding never keeps what should not have been sent. A JSON string where a
// reference belongs is dropped at once and remembered only as "a literal stood
// here" ([Value.Literal]); so is a reference whose name has the form of a
// credential. Runs that began when the field was a plain string can therefore
// be replayed.
//
// Do not embed a Value in a struct: its methods would become those of the
// struct, which would then be encoded as the reference alone.
//
// # Errors
//
// Failures are of type [*Error], which names the reference and one of the
// sentinels of this package, never a value, a host path or text of a third
// party. [Retryable] tells an outage from a refusal.
//
// # Concurrency
//
// Refs, Values, Requests and Resolutions are immutable and may be shared. All
// providers of this package may be used by several goroutines at a time, which
// is also required of every Resolver.
package secrets
