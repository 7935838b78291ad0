//go:build amd64 || arm64

package seccomp

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// What is tried besides the calls that are denied whatever their arguments. Each would fail with another error, or
// succeed, if it were permitted, and do no harm.
var attempts = map[string]func() error{
	"clone":               attempt(56, 220, unix.CLONE_NEWUSER|unix.CLONE_THREAD), // no thread without shared handlers
	"personality":         attempt(135, 92, 0x0040000),
	"TIOCSTI":             attempt(16, 29, none, unix.TIOCSTI),
	"TIOCSTI and garbage": attempt(16, 29, none, 0xdead<<32|unix.TIOCSTI),
	"TIOCLINUX":           attempt(16, 29, none, unix.TIOCLINUX),
	"TIOCSETD":            attempt(16, 29, none, unix.TIOCSETD),
	"TIOCCONS":            attempt(16, 29, none, unix.TIOCCONS),
	"vsock":               attempt(41, 198, unix.AF_VSOCK, unix.SOCK_STREAM),
	"alg":                 attempt(41, 198, unix.AF_ALG, unix.SOCK_SEQPACKET),
	"packet":              attempt(41, 198, unix.AF_PACKET, unix.SOCK_DGRAM),
	"old packet":          attempt(41, 198, unix.AF_INET, unix.SOCK_PACKET),
	"raw":                 attempt(41, 198, unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP),
	"sctp":                attempt(41, 198, unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP),
	"l2tp":                attempt(41, 198, unix.AF_INET6, unix.SOCK_DGRAM, unix.IPPROTO_L2TP),
	"udplite":             attempt(41, 198, unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDPLITE),
	"uevent":              attempt(41, 198, unix.AF_NETLINK, unix.SOCK_DGRAM, unix.NETLINK_KOBJECT_UEVENT),
	"unix":                attempt(41, 198, unix.AF_UNIX, unix.SOCK_STREAM),
	"datagram pair":       func() error { return pair(unix.SOCK_DGRAM | unix.SOCK_CLOEXEC) },
	"packet pair":         func() error { return pair(unix.SOCK_SEQPACKET) },
	"raw pair":            func() error { return pair(unix.SOCK_RAW) },
}

// No descriptor, no address and no flags: with it in every argument a call does nothing.
const none = ^uintptr(0)

func attempt(amd64, arm64 uintptr, arguments ...uintptr) func() error {
	number := amd64
	if runtime.GOARCH == "arm64" {
		number = arm64
	}
	var a [6]uintptr
	copy(a[:], arguments)
	return func() error {
		if _, _, errno := unix.RawSyscall6(number, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
			return errno
		}
		return nil
	}
}

func pair(kind int) error {
	_, err := unix.Socketpair(unix.AF_UNIX, kind, 0)
	return err
}

func denials() report {
	got := report{}
	if err := install(Options{}); err != nil {
		return report{"install": err.Error()}
	}
	for _, r := range rules(Options{}) {
		number := architectures[runtime.GOARCH].number(r.call)
		if len(r.when) == 0 && number != absent {
			got.add(r.name, attempt(uintptr(number), uintptr(number), none, none, none, none, none, none)())
		}
	}
	for name, try := range attempts {
		got.add(name, try())
	}
	got.add("newer than the table", attempt(newest+1, newest+1)())
	return got
}

func TestDenied(t *testing.T) {
	want := report{}
	for _, c := range denied {
		if architectures[runtime.GOARCH].number(c) != absent {
			want[c.name] = "EPERM"
		}
	}
	for name := range attempts {
		want[name] = "EPERM"
	}
	want["clone3"], want["newer than the table"] = "ENOSYS", "ENOSYS"
	expect(t, "denied", want)
	expect(t, "denied to nobody", want)
}
