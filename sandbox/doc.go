// Package sandbox holds the wire types of agent sandboxes and what makes one
// value out of their many forms: manifests, environments, entries, path grants,
// snapshots, session states, client options and run configurations, as the
// OpenAI Agents SDK and Temporal's plugin for it put them into payloads.
// [Limits] are no wire type: they are what policies, contracts and backends say
// to each other about what a sandbox may use.
//
// It is pure: no I/O, no clock, no randomness, no Temporal SDK. Results and errors
// depend on the input alone, in their order too, so workflow code may use all of
// it. The exported functions tell Temporal's workflowcheck so, which otherwise
// reports everything that uses encoding/json or walks a map.
//
// # Usage
//
// Workflow code builds typed values, with secrets by reference:
//
//	manifest := sandbox.Manifest{
//		Entries: map[string]sandbox.Entry{
//			"task.md": {Type: sandbox.EntryFile, Content: task},
//		},
//		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
//			"LANG":      sandbox.EnvLiteral("C.UTF-8"),
//			"API_TOKEN": sandbox.EnvSecret(secrets.Env("REPORTS_TOKEN")),
//		}},
//	}
//
// What arrives as a map, from a request or an older workflow, goes through
// [NormalizeRunConfig] or [NormalizeManifest] first. They accept every form
// and return the one typed value, or all that is wrong with the input at once.
// What was recorded is read with [Decode].
//
// # Two ways of reading
//
// [Strict] is for what is about to be recorded: it refuses what other readers of
// the format drop in silence, such as unknown keys. [Lenient] is for what has
// been recorded, here or by Python code, and reads what the Python models read;
// encoding/json uses it for every type of this package. One decoder serves JSON,
// maps and typed values alike, so their rules cannot drift apart.
//
// # What enters history
//
// The JSON form of these types, as it is. An environment variable that holds a
// [secrets.Value] is written as its reference, whether it is resolved or not.
// Everything else is written in full: literals, contents of files, fields of
// remote mounts and client options. Whether any of them may be there is decided
// by package validation, which also judges path grants, host paths and the kinds
// of entries. This package knows forms, not rights.
//
// # Errors
//
// Every error is an [*Error] with all [Fault] values, sorted by path. None
// quotes a value, a host path, or a key that is not a plain name; nor does any
// hold text of a foreign package.
//
// # Concurrency
//
// All functions may be called from several goroutines. The types are plain
// values: safe to read at once, and to be synchronised by whoever writes.
package sandbox
