// Package sandboxtest helps to test what stands between workflow code and sandboxes.
//
// [Fake] is a backend in memory: it runs the commands of a small shell of its own, starts no process and touches no
// file. [Faults] puts failures, and points where an operation waits, into any backend. [Conformance] is what every backend
// is held to, [Fake] too.
//
// # Concurrency
//
// Everything here but [Hostile] may be used from several goroutines at a time. Nothing sleeps.
package sandboxtest
