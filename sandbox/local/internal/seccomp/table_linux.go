package seccomp

import "golang.org/x/sys/unix"

// A call is a system call and its number by architecture. Numbers of both are written down, not taken from the constants
// of the one that is built for, so that each can be tested everywhere; a test compares them with golang.org/x/sys.
type call struct {
	name         string
	amd64, arm64 uint32
}

// The number of a call that an architecture lacks. Being above newest, it is answered before any rule.
const absent = ^uint32(0)

// A rule denies a call when all of its conditions hold. A call may have several.
type rule struct {
	call
	answer uint32
	when   []condition
}

// A condition holds when what mask leaves of an argument is among values, or, with except, when it is not.
//
// It looks at 32 bits. Each argument in the table but for addresses is an int for the kernel, which ignores the upper half,
// so a condition that looked there would be evaded by filling it. An address has two halves: a condition looks at the
// lower one, or at the upper one if it says so.
type condition struct {
	argument int
	upper    bool
	mask     uint32
	except   bool
	values   []uint32
}

func in(argument int, values ...uint32) condition {
	return condition{argument: argument, mask: every, values: values}
}

func notIn(argument int, values ...uint32) condition {
	return condition{argument: argument, mask: every, except: true, values: values}
}

// inUpper looks at the upper half of an address.
func (c condition) inUpper() condition {
	c.upper = true
	return c
}

func (c condition) masked(mask uint32) condition {
	c.mask = mask
	return c
}

const (
	every = ^uint32(0)

	answerKill    = unix.SECCOMP_RET_KILL_PROCESS
	answerNoCall  = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	answerRefused = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	answerNone    = unix.SECCOMP_RET_ERRNO | uint32(unix.EOPNOTSUPP)
	answerDone    = unix.SECCOMP_RET_ERRNO // success, of what was not done
	answerAllow   = unix.SECCOMP_RET_ALLOW

	// What of a socket's type is the type; the rest are flags.
	socketType = 0xf

	namespaces = unix.CLONE_NEWCGROUP | unix.CLONE_NEWIPC | unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWPID |
		unix.CLONE_NEWTIME | unix.CLONE_NEWUSER | unix.CLONE_NEWUTS

	// The default personality, which is no change, and the argument that only asks.
	personalityLinux = 0
	personalityQuery = ^uint32(0)
)

// What is denied whatever the arguments.
var denied = []call{
	// Namespaces, mounts and roots: the walls of the sandbox itself.
	{"unshare", 272, 97},
	{"setns", 308, 268},
	{"mount", 165, 40},
	{"umount2", 166, 39},
	{"pivot_root", 155, 41},
	{"chroot", 161, 51},
	{"fsopen", 430, 430},
	{"fsconfig", 431, 431},
	{"fsmount", 432, 432},
	{"fspick", 433, 433},
	{"move_mount", 429, 429},
	{"open_tree", 428, 428},
	{"open_tree_attr", 467, 467},
	{"mount_setattr", 442, 442},

	// Files by handle, which are opened past every mount.
	{"open_by_handle_at", 304, 265},
	{"name_to_handle_at", 303, 264},

	// Other processes.
	{"ptrace", 101, 117},
	{"process_vm_readv", 310, 270},
	{"process_vm_writev", 311, 271},
	{"pidfd_getfd", 438, 438},
	{"kcmp", 312, 272},

	// Interpreters and rings in the kernel. Rings open sockets without the call that is looked at below.
	{"bpf", 321, 280},
	{"io_uring_setup", 425, 425},
	{"io_uring_enter", 426, 426},
	{"io_uring_register", 427, 427},
	{"perf_event_open", 298, 241},
	{"userfaultfd", 323, 282},
	{"fanotify_init", 300, 262},
	{"lookup_dcookie", 212, 18},

	// Keyrings have no namespace of their own, and secret memory hides from whoever looks after the sandbox.
	{"add_key", 248, 217},
	{"request_key", 249, 218},
	{"keyctl", 250, 219},
	{"memfd_secret", 447, 447},

	// The machine.
	{"reboot", 169, 142},
	{"kexec_load", 246, 104},
	{"kexec_file_load", 320, 294},
	{"init_module", 175, 105},
	{"finit_module", 313, 273},
	{"delete_module", 176, 106},
	{"create_module", 174, absent},
	{"query_module", 178, absent},
	{"swapon", 167, 224},
	{"swapoff", 168, 225},
	{"acct", 163, 89},
	{"quotactl", 179, 60},
	{"quotactl_fd", 443, 443},
	{"syslog", 103, 116},
	{"iopl", 172, absent},
	{"ioperm", 173, absent},
	{"vhangup", 153, 58},
	{"sethostname", 170, 161},
	{"setdomainname", 171, 162},
	{"settimeofday", 164, 170},
	{"clock_settime", 227, 112},
	{"adjtimex", 159, 171},
	{"clock_adjtime", 305, 266},
	{"move_pages", 279, 239},
	{"migrate_pages", 256, 238},
	{"mbind", 237, 235},
	{"set_mempolicy", 238, 237},
	{"set_mempolicy_home_node", 450, 450},
}

func rules(o Options) []rule {
	var table []rule
	for _, c := range o.denied() {
		table = append(table, rule{call: c, answer: answerRefused})
	}
	var (
		clone       = call{"clone", 56, 220}
		clone3      = call{"clone3", 435, 435}
		personality = call{"personality", 135, 92}
		ioctl       = call{"ioctl", 16, 29}
		socketpair  = call{"socketpair", 53, 199}
		setrlimit   = call{"setrlimit", 160, 164}
		prlimit     = call{"prlimit64", 302, 261}
		families    = []uint32{unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	)
	if o.Unix {
		families = append(families, unix.AF_UNIX)
	}
	if o.Shared {
		table = append(table, shared()...)
	} else {
		table = append(table, networked(families)...)
	}
	if o.Owner {
		table = append(table, owned()...)
	}
	return append(table,
		// The flags of clone3 are in memory, where no filter looks; without it, libraries use clone.
		rule{clone3, answerNoCall, nil},
		rule{clone, answerRefused, []condition{notIn(0, 0).masked(namespaces)}},
		rule{personality, answerRefused, []condition{notIn(0, personalityLinux, personalityQuery)}},
		// With a limit of 1 the kernel starts no program for core dumps, which would get the memory of the command; with 0,
		// which is lower, it does. Scripts that set 0 mean to have none, and go on. To read it needs no new limit, whose
		// address is not 0.
		rule{setrlimit, answerDone, []condition{in(0, unix.RLIMIT_CORE)}},
		rule{prlimit, answerDone, []condition{in(1, unix.RLIMIT_CORE), notIn(2, 0)}},
		rule{prlimit, answerDone, []condition{in(1, unix.RLIMIT_CORE), notIn(2, 0).inUpper()}},
		// Typing into a terminal that is shared, and what changes whose terminal it is.
		rule{ioctl, answerRefused, []condition{in(1, unix.TIOCSTI, unix.TIOCLINUX, unix.TIOCSETD, unix.TIOCCONS)}},

		// A pair of datagram sockets can be connected again, to any socket with a path; SOCK_RAW makes such a pair, too.
		rule{socketpair, answerRefused, []condition{notIn(0, unix.AF_UNIX)}},
		rule{socketpair, answerRefused, []condition{notIn(1, unix.SOCK_STREAM).masked(socketType)}},
	)
}

// networked are the rules of what has a network of its own, which leave it sockets of these families.
func networked(families []uint32) []rule {
	return []rule{
		// Other families reach past the network namespace, as AF_VSOCK does, or need code that is rarely looked at.
		{socket, answerRefused, []condition{notIn(0, families...)}},
		// Not raw, and not SOCK_PACKET, which the kernel takes for AF_PACKET.
		{socket, answerRefused, []condition{
			in(0, unix.AF_INET, unix.AF_INET6),
			notIn(1, unix.SOCK_STREAM, unix.SOCK_DGRAM).masked(socketType),
		}},
		// Nor of other protocols, such as SCTP, whose code the kernel would load for whoever asks. Go listens with MPTCP.
		{socket, answerRefused, []condition{
			in(0, unix.AF_INET, unix.AF_INET6), notIn(2, unix.IPPROTO_IP, unix.IPPROTO_TCP, unix.IPPROTO_UDP, unix.IPPROTO_MPTCP),
		}},
		// Resolvers and ip ask for interfaces and routes.
		{socket, answerRefused, []condition{in(0, unix.AF_NETLINK), notIn(2, unix.NETLINK_ROUTE)}},
	}
}

// socket makes every socket but pairs.
var socket = call{"socket", 41, 198}
