// Package sessions holds two workflows that together do with sandboxes what
// workflow code can do with them. Session runs commands, moves files, patches
// them, stores its workspace, and goes on with its sandbox in a second run.
// Tools has what that one leaves out: directories, commands with an input or a
// directory, a selector, terminals, and a sandbox that is given up while it is
// made.
//
// Session is recorded without the guard, under a policy that grants the sandbox
// its secret, and under one that does not; Tools without the guard and under the
// first of these. The recordings keep what package sandboxclient schedules, and
// what the guard adds to it, from changing.
package sessions
