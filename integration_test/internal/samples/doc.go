// Package samples holds workflows of the kinds that Temporal applications are
// made of, written without a thought for the guard: timers, signals, sagas,
// sessions, codecs, schedules and so on.
//
// They show that the guard does no harm. Each [Sample] can be run on a server
// with or without plugins, has a result that is the same every time, and has a
// recorded history under testdata/histories/samples that was written without
// the guard (go run ./cmd/record). Their payloads hold what ordinary payloads
// hold: maps, any, page tokens, hashes, words such as manifest and sandbox.
package samples
