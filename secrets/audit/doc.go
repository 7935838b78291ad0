// Package audit records what the guard allows, denies, resolves and redacts.
//
// # Usage
//
// The guard writes one [Record] for each act to the [Sink] in its options. A
// sink is a file of JSON lines ([NewFile]), a program's own (any type with a
// Write method), or several of them ([Multi]):
//
//	sink, err := audit.NewFile("/var/log/worker/sandboxguard.jsonl")
//
// The names of the JSON members, the actions and the outcomes are part of the
// format: they do not change, and more may be added.
//
// # What a record holds
//
// Names: of the workflow and the activity, of the secret, its owner and its
// reference, of the rule and the place where it was broken. A record never
// holds a value, and neither does any error of this package; errors do not name
// the file either.
//
// # Errors
//
// An act that grants something (allowing a call, resolving and injecting a
// secret) is recorded before it is done, and is refused if that fails. Denying,
// redacting and clean-up are recorded as well, and go on in any case.
//
// Failures of this package are of type [*Error] and wrap one of its sentinels,
// and what the operating system said, so that errors.Is(err, syscall.ENOSPC)
// tells a full disk.
//
// # Concurrency
//
// Every Sink may be used by several goroutines at a time. The file sink writes
// each record with one call, so that several processes may append to one file
// on a local disk.
package audit
