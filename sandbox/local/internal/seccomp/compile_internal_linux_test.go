package seccomp

import (
	"encoding/binary"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

const (
	i386 = 0x40000003 // AUDIT_ARCH_I386
	arm  = 0x40000028 // AUDIT_ARCH_ARM
)

// An event is one system call as a filter sees it.
type event struct {
	arch, number uint32
	arguments    [6]uint64
}

// A machine runs a program as the kernel does, by an interpreter that others wrote.
type machine struct{ vm *bpf.VM }

func newMachine(tb testing.TB, program []unix.SockFilter) machine {
	tb.Helper()
	raw := make([]bpf.RawInstruction, len(program))
	for i, in := range program {
		raw[i] = bpf.RawInstruction{Op: in.Code, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	instructions, known := bpf.Disassemble(raw)
	if !known {
		tb.Fatal("the program has instructions that no interpreter knows")
	}
	vm, err := bpf.NewVM(instructions)
	if err != nil {
		tb.Fatal(err)
	}
	return machine{vm}
}

// answer lays an event out as the kernel does, each word in the order of bytes in which the interpreter reads.
func (m machine) answer(tb testing.TB, e event) uint32 {
	tb.Helper()
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data, e.number)
	binary.BigEndian.PutUint32(data[4:], e.arch)
	for i, argument := range e.arguments {
		binary.BigEndian.PutUint32(data[16+8*i:], uint32(argument))
		binary.BigEndian.PutUint32(data[20+8*i:], uint32(argument>>32))
	}
	value, err := m.vm.Run(data)
	if err != nil {
		tb.Fatal(err)
	}
	return uint32(value)
}

func compiled(tb testing.TB, arch string, o Options) machine {
	tb.Helper()
	program, err := compile(architectures[arch], rules(o))
	if err != nil {
		tb.Fatal(err)
	}
	if len(program) > longest {
		tb.Fatalf("the program has %d instructions, the kernel takes %d", len(program), longest)
	}
	return newMachine(tb, program)
}

func args(values ...uint64) (arguments [6]uint64) {
	copy(arguments[:], values)
	return arguments
}

func TestAnswers(t *testing.T) {
	const (
		garbage = 0xdeadbeef << 32
		thread  = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD | unix.CLONE_SYSVSEM |
			unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
		cloexec = unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK
	)
	for _, c := range []struct {
		call      string
		arguments [6]uint64
		options   Options
		want      uint32
	}{
		{"read", args(), Options{}, answerAllow},
		{"execve", args(), Options{}, answerAllow},
		{"seccomp", args(), Options{}, answerAllow},
		{"landlock_restrict_self", args(), Options{}, answerAllow},
		{"rseq_slice_yield", args(), Options{}, answerAllow},

		{"clone3", args(), Options{}, answerNoCall},
		{"clone", args(uint64(unix.SIGCHLD)), Options{}, answerAllow},
		{"clone", args(thread), Options{}, answerAllow},
		{"clone", args(unix.CLONE_NEWUSER | uint64(unix.SIGCHLD)), Options{}, answerRefused},
		{"clone", args(unix.CLONE_NEWNS), Options{}, answerRefused},
		{"clone", args(unix.CLONE_NEWPID), Options{}, answerRefused},
		{"clone", args(unix.CLONE_NEWNET | thread), Options{}, answerRefused},
		{"clone", args(unix.CLONE_NEWIPC), Options{}, answerRefused},
		{"clone", args(unix.CLONE_NEWUTS), Options{}, answerRefused},
		{"clone", args(unix.CLONE_NEWCGROUP), Options{}, answerRefused},
		{"clone", args(unix.CLONE_NEWTIME), Options{}, answerRefused},
		{"clone", args(garbage | unix.CLONE_NEWUSER), Options{}, answerRefused},
		{"clone", args(unix.CLONE_NEWUSER<<32 | uint64(unix.SIGCHLD)), Options{}, answerAllow},
		{"clone", args(uint64(unix.SIGCHLD), unix.CLONE_NEWUSER), Options{}, answerAllow},

		{"personality", args(0), Options{}, answerAllow},
		{"personality", args(0xffffffff), Options{}, answerAllow},
		{"personality", args(1<<64 - 1), Options{}, answerAllow},
		{"personality", args(0x0040000), Options{}, answerRefused}, // ADDR_NO_RANDOMIZE
		{"personality", args(garbage | 8), Options{}, answerRefused},

		{"setrlimit", args(unix.RLIMIT_CORE, 1), Options{}, answerDone},
		{"setrlimit", args(garbage|unix.RLIMIT_CORE, 0), Options{}, answerDone},
		{"setrlimit", args(unix.RLIMIT_CORE<<32|unix.RLIMIT_NOFILE, 1), Options{}, answerAllow},
		{"setrlimit", args(unix.RLIMIT_NOFILE, 1), Options{}, answerAllow},
		{"setrlimit", args(unix.RLIMIT_CPU, unix.RLIMIT_CORE), Options{}, answerAllow},
		{"getrlimit", args(unix.RLIMIT_CORE, 1), Options{}, answerAllow},
		{"prlimit64", args(0, unix.RLIMIT_CORE, 0, 1), Options{}, answerAllow},
		{"prlimit64", args(0, garbage|unix.RLIMIT_CORE, 0, garbage|1), Options{}, answerAllow},
		{"prlimit64", args(0, unix.RLIMIT_CORE, 1), Options{}, answerDone},
		{"prlimit64", args(1<<32-1, garbage|unix.RLIMIT_CORE, 1, 1), Options{}, answerDone},
		{"prlimit64", args(77, unix.RLIMIT_CORE, 1<<32, 1), Options{}, answerDone},
		{"prlimit64", args(77, unix.RLIMIT_CORE, garbage|1), Options{}, answerDone},
		{"prlimit64", args(0, unix.RLIMIT_NOFILE, garbage|1, 1), Options{}, answerAllow},
		{"prlimit64", args(unix.RLIMIT_CORE, unix.RLIMIT_NPROC, 1, 1), Options{}, answerAllow},

		{"ioctl", args(0, unix.TCGETS), Options{}, answerAllow},
		{"ioctl", args(unix.TIOCSTI, unix.TCGETS), Options{}, answerAllow},
		{"ioctl", args(0, unix.TIOCSTI), Options{}, answerRefused},
		{"ioctl", args(0, unix.TIOCLINUX), Options{}, answerRefused},
		{"ioctl", args(0, unix.TIOCSETD), Options{}, answerRefused},
		{"ioctl", args(0, unix.TIOCCONS), Options{}, answerRefused},
		{"ioctl", args(0, garbage|unix.TIOCSTI), Options{}, answerRefused},
		{"ioctl", args(0, unix.TIOCSTI<<32), Options{}, answerAllow},

		{"socket", args(unix.AF_INET, unix.SOCK_STREAM), Options{}, answerAllow},
		{"socket", args(unix.AF_INET, unix.SOCK_STREAM|cloexec, unix.IPPROTO_MPTCP), Options{}, answerAllow},
		{"socket", args(unix.AF_INET6, unix.SOCK_DGRAM|cloexec), Options{}, answerAllow},
		{"socket", args(unix.AF_INET6, unix.SOCK_STREAM, unix.IPPROTO_TCP), Options{}, answerAllow},
		{"socket", args(unix.AF_INET, unix.SOCK_DGRAM, garbage|unix.IPPROTO_UDP), Options{}, answerAllow},
		{"socket", args(unix.AF_INET, unix.SOCK_STREAM, garbage|unix.IPPROTO_SCTP), Options{}, answerRefused},
		{"socket", args(unix.AF_INET6, unix.SOCK_DGRAM, unix.IPPROTO_L2TP), Options{}, answerRefused},
		{"socket", args(unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDPLITE), Options{}, answerRefused},
		{"socket", args(garbage|unix.AF_INET, garbage|unix.SOCK_DGRAM), Options{}, answerAllow},
		{"socket", args(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP), Options{}, answerRefused},
		{"socket", args(unix.AF_INET6, unix.SOCK_RAW|cloexec), Options{}, answerRefused},
		{"socket", args(garbage|unix.AF_INET, garbage|unix.SOCK_RAW), Options{}, answerRefused},
		{"socket", args(unix.AF_INET, unix.SOCK_PACKET), Options{}, answerRefused},
		{"socket", args(unix.AF_NETLINK, unix.SOCK_RAW|cloexec, unix.NETLINK_ROUTE), Options{}, answerAllow},
		{"socket", args(unix.AF_NETLINK, unix.SOCK_DGRAM, garbage|unix.NETLINK_ROUTE), Options{}, answerAllow},
		{"socket", args(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER), Options{}, answerRefused},
		{"socket", args(unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_KOBJECT_UEVENT), Options{}, answerRefused},
		{"socket", args(unix.AF_UNSPEC, unix.SOCK_STREAM), Options{}, answerRefused},
		{"socket", args(unix.AF_VSOCK, unix.SOCK_STREAM), Options{}, answerRefused},
		{"socket", args(garbage|unix.AF_VSOCK, unix.SOCK_STREAM), Options{}, answerRefused},
		{"socket", args(unix.AF_PACKET, unix.SOCK_DGRAM), Options{}, answerRefused},
		{"socket", args(unix.AF_ALG, unix.SOCK_SEQPACKET), Options{}, answerRefused},
		{"socket", args(unix.AF_BLUETOOTH, unix.SOCK_RAW), Options{}, answerRefused},
		{"socket", args(unix.AF_UNIX, unix.SOCK_STREAM), Options{}, answerRefused},
		{"socket", args(unix.AF_UNIX, unix.SOCK_STREAM), Options{Unix: true}, answerAllow},
		{"socket", args(unix.AF_UNIX, unix.SOCK_DGRAM), Options{Unix: true}, answerAllow},
		{"socket", args(unix.AF_VSOCK, unix.SOCK_STREAM), Options{Unix: true}, answerRefused},

		{"socketpair", args(unix.AF_UNIX, unix.SOCK_STREAM), Options{}, answerAllow},
		{"socketpair", args(unix.AF_UNIX, unix.SOCK_STREAM|cloexec), Options{}, answerAllow},
		{"socketpair", args(garbage|unix.AF_UNIX, garbage|unix.SOCK_STREAM), Options{}, answerAllow},
		{"socketpair", args(unix.AF_UNIX, unix.SOCK_DGRAM|cloexec), Options{}, answerRefused},
		{"socketpair", args(unix.AF_UNIX, unix.SOCK_DGRAM), Options{Unix: true}, answerRefused},
		{"socketpair", args(unix.AF_UNIX, unix.SOCK_SEQPACKET), Options{}, answerRefused},
		{"socketpair", args(unix.AF_UNIX, unix.SOCK_RAW), Options{}, answerRefused},
		{"socketpair", args(unix.AF_UNIX, garbage|unix.SOCK_DGRAM), Options{}, answerRefused},
		{"socketpair", args(unix.AF_TIPC, unix.SOCK_STREAM), Options{}, answerRefused},
	} {
		for name, arch := range architectures {
			number, ok := numbers(t, name)[c.call]
			if !ok {
				t.Fatalf("%s has no call %s", name, c.call)
			}
			e := event{arch.audit, number, c.arguments}
			if got := compiled(t, name, c.options).answer(t, e); got != c.want {
				t.Errorf("%s %#x with %+v on %s: answer %#x, want %#x", c.call, c.arguments, c.options, name, got, c.want)
			}
		}
	}
}

func TestDeniedWhateverTheArguments(t *testing.T) {
	for name, arch := range architectures {
		m, known := compiled(t, name, Options{Unix: true}), numbers(t, name)
		for _, c := range denied {
			number, ok := known[c.name]
			if !ok {
				continue
			}
			for _, value := range []uint64{0, 1, 1 << 32, 1<<64 - 1} {
				e := event{arch.audit, number, args(value, value, value, value, value, value)}
				if got := m.answer(t, e); got != answerRefused {
					t.Errorf("%s(%#x …) on %s: answer %#x", c.name, value, name, got)
				}
			}
		}
	}
}

func TestOtherInterfaces(t *testing.T) {
	amd64, arm64 := architectures["amd64"].audit, architectures["arm64"].audit
	for _, c := range []struct {
		reason, program string
		arch, number    uint32
		want            uint32
	}{
		{"32-bit x86", "amd64", i386, 20, answerKill},
		{"32-bit x86, a number that is allowed on amd64", "amd64", i386, 0, answerKill},
		{"ARM on amd64", "amd64", arm64, 0, answerKill},
		{"32-bit ARM", "arm64", arm, 0, answerKill},
		{"amd64 on ARM", "arm64", amd64, 0, answerKill},
		{"x32", "amd64", amd64, 1<<30 | unix.AF_INET, answerKill},
		{"the first of x32", "amd64", amd64, 1 << 30, answerKill},
		{"the last of x32", "amd64", amd64, 1<<32 - 1, answerKill},
		{"newer than the table", "amd64", amd64, newest + 1, answerNoCall},
		{"newer than the table", "arm64", arm64, newest + 1, answerNoCall},
		{"below x32", "amd64", amd64, 1<<30 - 1, answerNoCall},
		{"no x32 on ARM", "arm64", arm64, 1 << 30, answerNoCall},
	} {
		e := event{c.arch, c.number, args()}
		if got := compiled(t, c.program, Options{}).answer(t, e); got != c.want {
			t.Errorf("%s: call %#x of %#x on %s: answer %#x, want %#x", c.reason, c.number, c.arch, c.program, got, c.want)
		}
	}
}

func TestLongRulesAreRefused(t *testing.T) {
	long := rule{call{"read", 0, 63}, answerRefused, []condition{in(0, make([]uint32, 253)...)}}
	if _, err := compile(architectures["amd64"], []rule{long}); err == nil {
		t.Error("a rule that is longer than a jump was compiled")
	}
	long.when[0].values = long.when[0].values[1:]
	program, err := compile(architectures["amd64"], []rule{long})
	if err != nil {
		t.Fatalf("a rule as long as a jump: %v", err)
	}
	m, audit := newMachine(t, program), architectures["amd64"].audit
	for argument, want := range []uint32{answerRefused, answerAllow} {
		if got := m.answer(t, event{audit, 0, args(uint64(argument))}); got != want {
			t.Errorf("read(%d): answer %#x, want %#x", argument, got, want)
		}
	}
}

// meant is what the table says of an event, read without the compiler.
func meant(a architecture, table []rule, e event) uint32 {
	switch {
	case e.arch != a.audit, a.foreign != 0 && e.number >= a.foreign:
		return answerKill
	case e.number > newest:
		return answerNoCall
	}
	for _, r := range table {
		holds := a.number(r.call) == e.number
		for _, c := range r.when {
			half := e.arguments[c.argument]
			if c.upper {
				half >>= 32
			}
			holds = holds && slices.Contains(c.values, uint32(half)&c.mask) != c.except
		}
		if holds {
			return r.answer
		}
	}
	return answerAllow
}

// FuzzCompile compares the program with its table: as fuzzed, and with values of the table in the place of the first
// arguments, which chance would not find.
func FuzzCompile(f *testing.F) {
	f.Add(uint32(unix.AUDIT_ARCH_X86_64), uint32(41), uint64(unix.AF_NETLINK), uint64(unix.SOCK_RAW), uint64(15), uint64(1), false)
	f.Add(uint32(unix.AUDIT_ARCH_X86_64), uint32(56), uint64(unix.CLONE_NEWUSER), uint64(0), uint64(0), uint64(2), true)
	f.Add(uint32(unix.AUDIT_ARCH_AARCH64), uint32(199), uint64(unix.AF_UNIX), uint64(unix.SOCK_DGRAM), uint64(0), uint64(3), false)
	f.Add(uint32(unix.AUDIT_ARCH_AARCH64), uint32(435), uint64(0), uint64(0), uint64(0), uint64(4), true)
	f.Add(uint32(i386), uint32(20), uint64(0), uint64(0), uint64(0), uint64(5), false)

	machines := map[string][2]machine{}
	for name := range architectures {
		machines[name] = [2]machine{compiled(f, name, Options{}), compiled(f, name, Options{Unix: true})}
	}
	f.Fuzz(func(t *testing.T, arch, number uint32, first, second, third, seed uint64, sockets bool) {
		chance := rand.New(rand.NewPCG(seed, 0))
		table, which := rules(Options{Unix: sockets}), 0
		if sockets {
			which = 1
		}
		for _, name := range slices.Sorted(maps.Keys(architectures)) {
			a, m := architectures[name], machines[name][which]
			near := event{a.audit, number, args(first, second, third)}
			r := table[chance.IntN(len(table))]
			near.number = a.number(r.call)
			for _, c := range r.when {
				half := uint64(c.values[chance.IntN(len(c.values))]) | uint64(^c.mask&chance.Uint32())
				other := uint64(chance.Uint32() * chance.Uint32N(2)) // often 0, as that of an address may be
				if c.upper {
					half, other = other, half
				}
				near.arguments[c.argument] = half | other<<32
			}
			for _, e := range []event{{arch, number, args(first, second, third)}, {a.audit, number % (newest + 2), near.arguments}, near} {
				if got, want := m.answer(t, e), meant(a, table, e); got != want {
					t.Errorf("%+v on %s: answer %#x, the table says %#x", e, name, got, want)
				}
			}
		}
	})
}
