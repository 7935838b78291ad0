// Package sessions holds a workflow that does with a sandbox whatever workflow
// code can do with one, and goes on with it in a second run.
//
// It is recorded without the guard, under a policy that grants the sandbox its
// secret, and under one that does not. The recordings keep what package
// sandboxclient schedules, and what the guard adds to it, from changing.
package sessions
