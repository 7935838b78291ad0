//go:build amd64 || arm64

package seccomp

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// coreLimits tries to change the limit of core dumps, from 1 to what is lower, in all the ways there are.
func coreLimits() report {
	one := unix.Rlimit{Cur: 1, Max: 1}
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &one); err != nil {
		return report{"install": err.Error()}
	}
	if err := install(Options{}); err != nil {
		return report{"install": err.Error()}
	}
	got := report{}
	zero, old := unix.Rlimit{}, unix.Rlimit{}
	got.add("prlimit64", unix.Prlimit(0, unix.RLIMIT_CORE, &zero, nil))
	got.add("prlimit64 of itself by its id", unix.Prlimit(os.Getpid(), unix.RLIMIT_CORE, &zero, &old))
	number := uintptr(160)
	if runtime.GOARCH == "arm64" {
		number = 164
	}
	// The kernel looks at the lower half of the resource alone.
	for _, resource := range []uintptr{unix.RLIMIT_CORE, 0xdead<<32 | unix.RLIMIT_CORE} {
		_, _, errno := unix.Syscall(number, resource, uintptr(unsafe.Pointer(&zero)), 0)
		got[fmt.Sprintf("setrlimit %#x", resource)] = errno.Error()
		_, _, errno = unix.Syscall6(unix.SYS_PRLIMIT64, 0, resource, uintptr(unsafe.Pointer(&zero)), 0, 0, 0)
		got[fmt.Sprintf("prlimit64 %#x", resource)] = errno.Error()
	}
	var now unix.Rlimit
	got.add("read", unix.Getrlimit(unix.RLIMIT_CORE, &now))
	got["limit"] = fmt.Sprint(now)

	out, err := exec.Command("/bin/sh", "-ec", "ulimit -c 0; ulimit -Hc 0; ulimit -Sc; ulimit -Hc; grep core /proc/self/limits").Output()
	got.add("shell", err)
	got["shell says"] = strings.Join(strings.Fields(string(out)), " ")

	files := unix.Rlimit{Cur: 50, Max: 60}
	got.add("another limit", unix.Setrlimit(unix.RLIMIT_NOFILE, &files))
	got.add("read another", unix.Getrlimit(unix.RLIMIT_NOFILE, &now))
	got["another"] = fmt.Sprint(now)
	return got
}

// TestCoreLimit checks that no way leads from a limit of 1, with which the kernel starts no program for core dumps, to one
// of 0, with which it does, while other limits can be set as ever.
func TestCoreLimit(t *testing.T) {
	const done = "errno 0"
	expect(t, "core limits", report{
		"prlimit64": "ok", "prlimit64 of itself by its id": "ok", "read": "ok", "limit": "{1 1}",
		"setrlimit 0x4": done, "setrlimit 0xdead00000004": done, "prlimit64 0x4": done, "prlimit64 0xdead00000004": done,
		// Shells count in blocks of 512 or 1024 bytes.
		"shell": "ok", "shell says": "0 0 Max core file size 1 1 bytes",
		"another limit": "ok", "read another": "ok", "another": "{50 60}",
	})
}
