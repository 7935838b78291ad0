package seccomp

import (
	"fmt"
	"math"
	"runtime"

	"golang.org/x/sys/unix"
)

// Options says what a sandbox needs beyond what every sandbox may do. The zero value is the narrowest filter.
type Options struct {
	// Unix permits to create sockets of the family AF_UNIX, and so to connect to whatever socket has a path in the
	// sandbox. Connected pairs of stream sockets are always permitted, those of other types never.
	Unix bool
	// Shared is for what has no namespaces of its own: it denies all sockets but connected pairs, what
	// reaches processes, memory and queues of others past the file system, and extended attributes by paths, which Landlock
	// does not look at.
	Shared bool
	// Owner is for what has an account that files of the host belong to, and is kept from them by Landlock alone: it denies
	// to change modes, owners, times and attributes by paths, which Landlock does not look at.
	Owner bool
}

// Filter returns the program that the kernel runs on each system call of a sandbox, for the architecture of this process.
// On others than amd64 and arm64 the error wraps [ErrUnavailable].
func Filter(o Options) ([]unix.SockFilter, error) {
	arch, ok := architectures[runtime.GOARCH]
	if !ok {
		return nil, errArchitecture()
	}
	return compile(arch, rules(o))
}

type architecture struct {
	audit  uint32
	number func(call) uint32
	// The first number of another interface under the same name; 0 for none.
	foreign uint32
}

var architectures = map[string]architecture{
	"amd64": {
		audit:   unix.AUDIT_ARCH_X86_64,
		number:  func(c call) uint32 { return c.amd64 },
		foreign: 1 << 30, // the bit of x32
	},
	"arm64": {
		audit:  unix.AUDIT_ARCH_AARCH64,
		number: func(c call) uint32 { return c.arm64 },
	},
}

func errArchitecture() error {
	return fmt.Errorf("%w on %s: run this worker on amd64 or arm64", ErrUnavailable, runtime.GOARCH)
}

// The last number that the table was held against, the same on both architectures. What comes after is refused until
// somebody has looked at it; a test fails when golang.org/x/sys knows more.
const newest = 471

// Offsets in the record that a filter sees, struct seccomp_data.
const (
	offsetNumber       = 0
	offsetArchitecture = 4
	offsetArguments    = 16
)

// compile lays the rules out one after the other. A search by number would gain little: from Linux 5.11 on the kernel
// remembers which calls are allowed whatever their arguments, and does not run the program for them.
func compile(a architecture, table []rule) ([]unix.SockFilter, error) {
	program := []unix.SockFilter{
		load(offsetArchitecture),
		jump(unix.BPF_JEQ, a.audit, 1, 0),
		answer(answerKill),
		load(offsetNumber),
	}
	if a.foreign != 0 {
		program = append(program, jump(unix.BPF_JGE, a.foreign, 0, 1), answer(answerKill))
	}
	program = append(program, jump(unix.BPF_JGT, newest, 0, 1), answer(answerNoCall))
	for _, r := range table {
		body := r.body()
		if len(body) > math.MaxUint8 {
			return nil, fmt.Errorf("seccomp: the rule of %s is too long for a jump: divide its values among rules", r.name)
		}
		program = append(program, jump(unix.BPF_JEQ, a.number(r.call), 0, len(body)))
		program = append(program, body...)
	}
	return append(program, answer(answerAllow)), nil
}

// body is what runs for the number of the rule. It answers or goes on behind itself, with the number loaded.
func (r rule) body() []unix.SockFilter {
	body := []unix.SockFilter{answer(r.answer)}
	for i := len(r.when) - 1; i >= 0; i-- {
		body = append(r.when[i].test(len(body)), body...)
	}
	if len(r.when) > 0 {
		body = append(body, load(offsetNumber))
	}
	return body
}

// test goes on behind itself when the condition holds, and else skips the rest of the rule, too.
func (c condition) test(rest int) []unix.SockFilter {
	// Both architectures are little-endian: the lower half comes first.
	offset := offsetArguments + 8*uint32(c.argument) //nolint:gosec // one of six
	if c.upper {
		offset += 4
	}
	code := []unix.SockFilter{load(offset)}
	if c.mask != every {
		code = append(code, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: c.mask})
	}
	for i, value := range c.values {
		left := len(c.values) - 1 - i
		found, missing := left, 0
		if left == 0 {
			missing = rest
		}
		if c.except {
			found, missing = left+rest, 0
		}
		code = append(code, jump(unix.BPF_JEQ, value, found, missing))
	}
	return code
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func answer(value uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: value}
}

// jump skips so many instructions; compile refuses what is too long for that.
func jump(test uint16, value uint32, yes, no int) unix.SockFilter {
	//nolint:gosec // see above
	return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: uint8(yes), Jf: uint8(no), K: value}
}
