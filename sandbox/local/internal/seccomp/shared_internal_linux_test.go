//go:build amd64 || arm64

package seccomp

import (
	"os"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// sharing tries what reaches the host where there are no namespaces, and what a process does to itself and to open files.
func sharing() report {
	got := report{}
	if err := install(widest); err != nil {
		return report{"install": err.Error()}
	}
	for _, c := range slices.Concat(deniedShared, extended, deniedOwner) {
		if number := architectures[runtime.GOARCH].number(c); number != absent {
			got.add(c.name, attempt(uintptr(number), uintptr(number), none, none, none, none, none, none)())
		}
	}
	parent := uintptr(os.Getppid())
	for name, try := range map[string]func() error{
		"limits of another":     attempt(302, 261, parent, unix.RLIMIT_NOFILE),
		"own limits":            attempt(302, 261, 0, unix.RLIMIT_NOFILE),
		"processors of another": attempt(203, 122, parent),
		"policy of another":     attempt(144, 119, parent),
		"parameters of another": attempt(142, 118, parent),
		"attributes of another": attempt(314, 274, parent),
		"priority of another":   attempt(141, 140, unix.PRIO_PROCESS, parent, 19),
		"priority of a user":    attempt(141, 140, unix.PRIO_USER, 0, 19),
		"own priority":          attempt(141, 140, unix.PRIO_PROCESS, 0, 19),
		"disk of another":       attempt(251, 30, ioprioProcess, parent),
		"disk of a user":        attempt(251, 30, 3, 0),
		"times by path":         attempt(280, 88, none, none),
		"times by another path": attempt(280, 88, none, 1<<32), // whose address ends in zeros
		"times of an open file": attempt(280, 88, none, 0),
		"mode of an open file":  attempt(91, 52, none, 0),
		"network":               attempt(41, 198, unix.AF_INET, unix.SOCK_STREAM),
		"unix":                  attempt(41, 198, unix.AF_UNIX, unix.SOCK_STREAM),
		"routes":                attempt(41, 198, unix.AF_NETLINK, unix.SOCK_RAW),
		"stream pair":           streamPair,
		"datagram pair":         func() error { return pair(unix.SOCK_DGRAM) },
	} {
		got.add(name, try())
	}
	return got
}

// TestShared checks both: what is let through answers with another error, or does what it says.
func TestShared(t *testing.T) {
	want := report{
		"own limits": "ok", "own priority": "ok", "times of an open file": "EBADF", "mode of an open file": "EBADF", "stream pair": "ok",
	}
	for _, c := range extended {
		want[c.name] = "ENOTSUP"
	}
	for name := range play(t, "shared") {
		if want[name] == "" {
			want[name] = "EPERM"
		}
	}
	if Available() == nil && len(want) < 20+len(deniedShared) {
		t.Errorf("too little was tried: %v", want)
	}
	expect(t, "shared", want)
}
