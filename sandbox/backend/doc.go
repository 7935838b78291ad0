// Package backend says what a host needs of those who make sandboxes. Package sandbox/local is one of them, package
// sandboxtest has a fake; a program may bring its own.
//
// A [Backend] knows sandboxes by the id that the host chose, and nothing of workflows, owners, policies or secrets:
// package sandboxhost holds these, and tells a sandbox what to do.
//
// # Concurrency
//
// The host calls the methods of a [Backend] from many goroutines. It calls those of a [Sandbox] at the same time,
// too: commands run side by side, and Stop and Delete come while they do and end them.
package backend
