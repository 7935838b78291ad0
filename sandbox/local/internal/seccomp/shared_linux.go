package seccomp

import (
	"slices"

	"golang.org/x/sys/unix"
)

// What is denied whatever the arguments to what has no namespaces of its own.
var deniedShared = []call{
	// There is no network to be in, and no filter sees which socket with a path a connection would be to.
	socket,

	// Memory, semaphores and queues of the whole host.
	{"shmget", 29, 194},
	{"shmat", 30, 196},
	{"shmctl", 31, 195},
	{"semget", 64, 190},
	{"semop", 65, 193},
	{"semctl", 66, 191},
	{"semtimedop", 220, 192},
	{"msgget", 68, 186},
	{"msgsnd", 69, 189},
	{"msgrcv", 70, 188},
	{"msgctl", 71, 187},
	{"mq_open", 240, 180},
	{"mq_unlink", 241, 181},

	// The names of abstract sockets are the host's, and a pair needs none.
	{"bind", 49, 200},

	// What the host has mounted, from where, and its namespaces.
	{"statmount", 457, 457},
	{"listmount", 458, 458},
	{"listns", 470, 470},

	// Other processes of the account, by their numbers.
	{"process_madvise", 440, 440},
	{"process_mrelease", 448, 448},

	// The names of what others make in directories that may not be read, and what an account has few of.
	{"inotify_add_watch", 254, 27},
	{"inotify_init", 253, absent},
	{"inotify_init1", 294, 26},
}

// extended are the extended attributes of what a path leads to, which Landlock does not look at: whoever may read or write a
// file by its mode may do so with them, also with a file that it cannot open. Programs take the answer for that of a file
// system that has none.
var extended = []call{
	{"setxattr", 188, 5},
	{"lsetxattr", 189, 6},
	{"setxattrat", 463, 463},
	{"getxattr", 191, 8},
	{"lgetxattr", 192, 9},
	{"getxattrat", 464, 464},
	{"listxattr", 194, 11},
	{"llistxattr", 195, 12},
	{"listxattrat", 465, 465},
	{"removexattr", 197, 14},
	{"lremovexattr", 198, 15},
	{"removexattrat", 466, 466},
}

// What is denied to an account that files of the host belong to. Each takes a path, or has a form with an open file.
var deniedOwner = []call{
	{"chmod", 90, absent},
	{"fchmodat", 268, 53},
	{"fchmodat2", 452, 452},
	{"chown", 92, absent},
	{"lchown", 94, absent},
	{"fchownat", 260, 54},
	{"utime", 132, absent},
	{"utimes", 235, absent},
	{"futimesat", 261, absent},
	{"file_setattr", 469, 469},
}

// denied are the calls that are denied whatever their arguments.
func (o Options) denied() []call {
	all := slices.Clone(denied)
	if o.Shared {
		all = append(all, deniedShared...)
	}
	if o.Owner {
		all = append(all, deniedOwner...)
	}
	return all
}

// shared are the rules for extended attributes, and for what is left of calls that reach other processes of the account: a
// process changes itself.
func shared() []rule {
	var table []rule
	for _, c := range extended {
		table = append(table, rule{call: c, answer: answerNone})
	}
	for _, c := range []call{
		{"prlimit64", 302, 261},
		{"sched_setaffinity", 203, 122},
		{"sched_setparam", 142, 118},
		{"sched_setscheduler", 144, 119},
		{"sched_setattr", 314, 274},
	} {
		table = append(table, rule{c, answerRefused, []condition{notIn(0, 0)}})
	}
	for _, c := range []struct {
		call
		process uint32
	}{{call{"setpriority", 141, 140}, unix.PRIO_PROCESS}, {call{"ioprio_set", 251, 30}, ioprioProcess}} {
		table = append(table, rule{c.call, answerRefused, []condition{notIn(0, c.process)}}, rule{c.call, answerRefused, []condition{notIn(1, 0)}})
	}
	return table
}

// ioprioProcess is IOPRIO_WHO_PROCESS of linux/ioprio.h.
const ioprioProcess = 1

// owned denies to change the times of what a path leads to. Without a path, whose address is 0, it is an open file.
func owned() []rule {
	c := call{"utimensat", 280, 88}
	return []rule{{c, answerRefused, []condition{notIn(1, 0)}}, {c, answerRefused, []condition{notIn(1, 0).inUpper()}}}
}
