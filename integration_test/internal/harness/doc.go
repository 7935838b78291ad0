// Package harness runs the embedded Temporal server for the integration tests
// and the demo, and answers the questions they ask of it: what stands in a
// history, does a recorded history replay, and which bytes can somebody with
// access to the server see.
//
// A test package starts one [Server] in TestMain and gives every test a task
// queue of its own, so that tests can run in parallel:
//
//	c := server.Dial(t, client.Options{})
//	queue := harness.Queue(t)
//	harness.Worker(t, c, queue, worker.Options{}, register)
//
// Nothing here sleeps. A test waits for a result, for an event of a history
// ([AwaitEvent]) or, where the server itself is only eventually consistent, for
// a condition ([Eventually]).
package harness
