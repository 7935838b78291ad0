package landlock_test

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/landlock"
)

// The test binary is its own helper, since a domain cannot be left: with this variable it plays the part that the variable
// names, and prints a report.
const part = "LANDLOCK_TEST_PART"

var parts = map[string]func() report{"domain": domain, "restricted": restricted, "nested": nested}

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
	play := parts[os.Getenv(part)]
	if play == nil {
		os.Exit(m.Run())
	}
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(play()); err != nil {
		panic(err)
	}
}

// self is the test binary in a part.
func self(name string, env ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(append(os.Environ(), part+"="+name), env...)
	cmd.Stderr = os.Stderr
	return cmd
}

// expect compares the report of a part. Where the kernel cannot do it, the part says why.
func expect(t *testing.T, name string, want report, env ...string) {
	t.Helper()
	out, err := self(name, env...).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got := report{}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if err := landlock.Available(); err != nil {
		want = report{}
		want.add("begin", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// domain ends all that it started, in sessions of their own and without their parents, and nothing else.
func domain() report {
	got := report{}
	d, err := landlock.NewDomain(os.Getppid())
	if err != nil {
		got.add("begin", err)
		return got
	}
	got.add("outside", unix.Kill(os.Getppid(), 0))
	got.add("none", (*landlock.Domain)(nil).Signal(unix.SIGKILL))
	other := make(chan error)
	go func() { other <- d.Signal(unix.SIGKILL) }()
	got.add("by another thread", <-other)

	hold, held, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command("sh", "-c", "trap '' TERM; for i in 1 2 3; do (trap '' TERM; setsid sleep 1000 &); done; echo; sleep 1000")
	cmd.ExtraFiles, cmd.SysProcAttr = []*os.File{held}, &syscall.SysProcAttr{Setsid: true}
	up, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		panic(err)
	}
	_ = held.Close()
	_, _ = up.Read(make([]byte, 1))
	got.add("end", d.Signal(unix.SIGKILL))
	_, err = hold.Read(make([]byte, 1)) // until nobody has it
	got["left"] = err.Error()
	_ = cmd.Wait()
	got.add("end again", d.Signal(unix.SIGKILL))
	return got
}

// TestDomain checks that a signal reaches all of a domain, and cannot be sent where it would reach more.
func TestDomain(t *testing.T) {
	expect(t, "domain", report{
		"outside": "EPERM", "none": landlock.ErrOpen.Error(), "by another thread": landlock.ErrOpen.Error(), "end": "ok", "left": "EOF", "end again": "ok",
	})
}

// nested looks at who looks after a domain from one within it.
func nested() report {
	got := report{}
	if os.Getenv("INNER") == "" {
		if _, err := landlock.NewDomain(os.Getppid()); err != nil {
			got.add("begin", err)
			return got
		}
		out, err := self("nested", "INNER="+strconv.Itoa(unix.Gettid())).Output()
		if err = errors.Join(err, json.Unmarshal(out, &got)); err != nil {
			got["inner"] = err.Error()
		}
		return got
	}
	keeper, err := strconv.Atoi(os.Getenv("INNER"))
	if err != nil {
		panic(err)
	}
	got.add("before", unix.Kill(os.Getppid(), 0))
	if err := landlock.Restrict(nil); err != nil {
		got.add("begin", err)
		return got
	}
	got.add("its keeper", unix.Kill(os.Getppid(), 0))
	got.add("the thread of its keeper", unix.Tgkill(os.Getppid(), keeper, 0))
	return got
}

// TestNested checks that a domain within another does not reach the process that made that.
func TestNested(t *testing.T) {
	expect(t, "nested", report{"before": "ok", "its keeper": "EPERM", "the thread of its keeper": "EPERM"})
}

// restricted tries files inside and outside of what it is left, and TCP.
func restricted() report {
	got := report{}
	dir := os.Getenv("DIR")
	var rules []landlock.Rule
	for name, access := range map[string]landlock.Access{"read": landlock.Read, "write": landlock.Read | landlock.Write, "file": landlock.Read} {
		fd, err := unix.Open(filepath.Join(dir, name), unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			panic(err)
		}
		rules = append(rules, landlock.Rule{FD: fd, Access: access})
	}
	addr := listenTCP()
	if err := landlock.Restrict(rules); err != nil {
		got.add("begin", err)
		return got
	}
	// Package os opens directories on any thread, but this is the only one that is locked.
	open := func(name string, flags int) error {
		fd, err := unix.Open(filepath.Join(dir, name), flags|unix.O_CLOEXEC, 0o600)
		if err == nil {
			err = unix.Close(fd)
		}
		return err
	}
	got.add("read", open("read/x", unix.O_RDONLY))
	got.add("list", open("read", unix.O_RDONLY|unix.O_DIRECTORY))
	got.add("write what may be read", open("read/x", unix.O_WRONLY))
	got.add("write", open("write/x", unix.O_WRONLY|unix.O_CREAT))
	got.add("truncate", unix.Truncate(filepath.Join(dir, "read/x"), 0))
	got.add("a file", open("file", unix.O_RDONLY))
	got.add("closed", open("closed", unix.O_RDONLY))
	got.add("closed list", open(".", unix.O_RDONLY|unix.O_DIRECTORY))
	got.add("move", unix.Rename(filepath.Join(dir, "write/x"), filepath.Join(dir, "write/sub/y")))
	got.add("move out", unix.Rename(filepath.Join(dir, "write/sub/y"), filepath.Join(dir, "read/y")))
	got.add("device", unix.Mknod(filepath.Join(dir, "write/null"), unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))))
	got.add("link in", unix.Symlink("/", filepath.Join(dir, "write/link")))
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		panic(err)
	}
	got.add("bind", unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	got.add("connect", unix.Connect(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}, Port: addr}))
	return got
}

func listenTCP() (port int) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	return l.Addr().(*net.TCPAddr).Port
}

// TestRestrict checks what is left of files and of TCP.
func TestRestrict(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"read", "write", "write/sub"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"read/x", "file", "closed"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect(t, "restricted", report{
		"read": "ok", "list": "ok", "write what may be read": "EACCES", "write": "ok", "truncate": "EACCES", "a file": "ok", "closed": "EACCES",
		"closed list": "EACCES", "move": "ok", "move out": "EACCES", "device": "EACCES", "link in": "ok", "bind": "EACCES", "connect": "EACCES",
	}, "DIR="+dir)
}
