// Package landlock gives rights up with Landlock, for a process that is about to become a command where the kernel lets
// nobody make namespaces. What is given up is given up for the thread that does it, and for all that it starts from then on.
//
// A domain is what such a thread and its descendants are in. None of them can leave it, so with [NewDomain] a process has
// a hold of all that it will start, whatever sessions, groups and parents that gets.
//
// The package works on Linux only, with the version [Need] of the kernel's interface or a later one.
package landlock
