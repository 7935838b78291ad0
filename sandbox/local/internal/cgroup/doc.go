// Package cgroup holds commands in control groups of Linux: one group a command, with limits that the kernel enforces,
// an answer to which limit was hit, and an end for everything in the group.
//
// [Find] looks once, for real, at what the process may use: it makes a group, sets limits in it, reads them back and
// removes it. What it has and what it lacks is [Tree.Support], limit by limit, because hosts differ: version 2 with a
// delegated subtree has everything, older hosts have one hierarchy a controller, and on mixed ones version 2 can kill
// while version 1 limits. Nothing is taken for granted later: [Tree.New] reads back each limit it sets and fails if one
// is not as asked.
//
// A group is used in this order. A process comes in before it runs what is to be limited, since what it allocated or
// started before is not counted:
//
//	g, err := tree.New(cgroup.Limits{Memory: 1 << 30, Processes: 64})
//	// start the process: in g.FD() if there is one, else held back until g.Add(pid) returned
//	hits, err := g.Hits()
//	err = g.Kill()
//	err = g.Remove()
//
// # Where groups are
//
// Groups are below one directory, "sandboxguard", in the worker's own group of each hierarchy. Their names are made of
// the worker's process id and start time and of a number, never of anything that a user chose, so that
// [Tree.RemoveStale] tells those that a killed worker left from those of living ones.
//
// In version 2 a group with processes cannot limit the groups below it. The worker itself is such a process, so limits
// need one of these: a worker in a subgroup of a delegated group (systemd: Delegate=yes with DelegateSubgroup=worker),
// which then gets siblings; or [Options].MoveSelf for one that is alone in its group. No other process is ever moved.
//
// # Errors and concurrency
//
// Errors name the limit and what to do, and hold no path. All methods can be called from several goroutines.
package cgroup
