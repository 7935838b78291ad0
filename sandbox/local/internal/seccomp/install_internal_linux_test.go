//go:build amd64 || arm64

package seccomp

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// The test binary is its own sandbox, since a filter cannot be taken off: with this variable it plays the part that the
// variable names, and prints a report.
const partVariable = "SECCOMP_TEST_PART"

var parts = map[string]func() report{
	"denied": denials,
	"denied to nobody": func() report {
		becomeNobody()
		return denials()
	},
	"allowed": work,
	"allowed to nobody": func() report {
		becomeNobody()
		return work()
	},
	"core limits": coreLimits,
	"shared":      sharing,
	"sockets":     sockets,
	"no call":     refusedBy(),
	"no filter":   refusedBy(in(0, unix.SECCOMP_SET_MODE_FILTER)),
	"thread":      withForeignThread,
}

// A report says by name what came of something that was tried: ok, or an error.
type report map[string]string

func (r report) add(name string, err error) {
	var errno unix.Errno
	switch {
	case err == nil:
		r[name] = "ok"
	case errors.As(err, &errno):
		r[name] = unix.ErrnoName(errno)
	default:
		r[name] = err.Error()
	}
}

func TestMain(m *testing.M) {
	play := parts[os.Getenv(partVariable)]
	if play == nil {
		os.Exit(m.Run())
	}
	if err := json.NewEncoder(os.Stdout).Encode(play()); err != nil {
		panic(err)
	}
}

// child prepares the part, in a session of its own, so that nothing it tries reaches a terminal.
func child(t *testing.T, part string, arguments ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], arguments...)
	cmd.Env = append(os.Environ(), partVariable+"="+part)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stderr = os.Stderr
	return cmd
}

func play(t *testing.T, part string, arguments ...string) report {
	t.Helper()
	out, err := child(t, part, arguments...).Output()
	if err != nil {
		t.Fatalf("%s: %v", part, err)
	}
	got := report{}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%s: %v: %s", part, err, out)
	}
	return got
}

// expect compares the report of a part. Where the host has no filters, it is compared with the refusal instead.
func expect(t *testing.T, part string, want report, arguments ...string) {
	t.Helper()
	got := play(t, part, arguments...)
	if Available() != nil {
		if !strings.HasPrefix(got["install"], "seccomp: ") || len(got) != 1 {
			t.Errorf("%s on a host without filters: %v", part, got)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", part, diff)
	}
}

func install(o Options) error {
	filter, err := Filter(o)
	if err != nil {
		return err
	}
	return Install(filter)
}

// becomeNobody shows that filters need no root.
func becomeNobody() {
	const nobody = 65534
	if os.Geteuid() != 0 {
		return
	}
	for _, err := range []error{syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody)} {
		if err != nil {
			panic(err)
		}
	}
}

func TestAvailable(t *testing.T) {
	before := status(t)
	err := Available()
	if diff := cmp.Diff(before, status(t)); diff != "" {
		t.Errorf("asking installed something (-before +after):\n%s", diff)
	}
	if err != nil && !errors.Is(err, ErrUnavailable) {
		t.Errorf("Available() = %v, which is not ErrUnavailable", err)
	}
}

func status(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "Seccomp") || strings.HasPrefix(line, "NoNewPrivs") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

func TestInstallRefusesWhatIsNoProgram(t *testing.T) {
	// The kernel counts in 16 bits: of the longest it would take the first instruction alone.
	for _, length := range []int{0, longest + 1, 1<<16 + 1} {
		if err := Install(slices.Repeat([]unix.SockFilter{answer(answerAllow)}, length)); err == nil {
			t.Errorf("a filter of %d instructions was installed", length)
		}
	}
}

// refusedBy is on a host that denies the call seccomp with such arguments, as the profile of a container may.
func refusedBy(when ...condition) func() report {
	return func() report {
		filter, err := compile(architectures[runtime.GOARCH], []rule{{call{"seccomp", 317, 277}, answerRefused, when}})
		if err == nil {
			err = Install(filter)
		}
		if err != nil {
			return report{"install": err.Error()}
		}
		got := report{}
		if err := Available(); errors.Is(err, ErrUnavailable) {
			got.add("available", err)
		}
		if err := install(Options{}); err != nil && strings.Contains(err.Error(), "install the filter") {
			got.add("install", err)
		}
		return got
	}
}

func TestHostThatDeniesFilters(t *testing.T) {
	want := report{"available": "EPERM", "install": "EPERM"}
	expect(t, "no call", want)
	expect(t, "no filter", want)
}

// withForeignThread has a thread with a filter that the others do not have.
func withForeignThread() report {
	ready := make(chan error)
	go func() {
		runtime.LockOSThread()
		allow := answer(answerAllow)
		program := unix.SockFprog{Len: 1, Filter: &allow}
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			_, err = seccomp(unix.SECCOMP_SET_MODE_FILTER, 0, unsafe.Pointer(&program))
		}
		ready <- err
		select {}
	}()
	if err := <-ready; err != nil {
		return report{"install": "seccomp: " + err.Error()}
	}
	got := report{}
	got.add("install", install(Options{}))
	return got
}

func TestThreadWithAnotherFilter(t *testing.T) {
	expect(t, "thread", report{
		"install": "seccomp: install the filter: a thread has another filter: call Install before other code starts threads",
	})
}
