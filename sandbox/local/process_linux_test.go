package local_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

var parts = map[string]func(){
	"worker": worker, "escape": escape, "regroup": regroup, "keep": keep, "stay": stay,
	"stay without init": stayWithoutInit, "exit without init": func() {}, "lack": lack, "isolated worker": isolatedWorker, "drain": drain, "exhaust": exhaust, "strand": strand, "reuse": reuse, "starve": starve,
}

// escape leaves a process in a session of its own, below the one of the command.
func escape() { leave(&syscall.SysProcAttr{Setsid: true}, nil) }

// regroup leaves a process in a group of its own, in the session of the command.
func regroup() { leave(&syscall.SysProcAttr{Setpgid: true}, nil) }

// keep leaves a process in a session of its own which keeps the terminal.
func keep() { leave(&syscall.SysProcAttr{Setsid: true}, os.Stdout) }

func leave(as *syscall.SysProcAttr, out *os.File) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), part+"=stay")
	cmd.SysProcAttr = as
	if out != nil {
		cmd.Stdout = out
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	note(cmd.Process.Pid)
}

// strand leaves a process that has the arguments it was given, in the session that it is itself the leader of.
func strand() {
	child := exec.Cmd{Path: "/proc/self/exe", Args: os.Args[1:], Env: append(os.Environ(), part+"=stay", "TEST="+strconv.Itoa(os.Getppid())), Stdin: os.Stdin}
	if err := child.Start(); err != nil {
		panic(err)
	}
	fmt.Println(child.Process.Pid)
}

// stay stays until it is killed, or the test is over: a test that is killed ends nothing itself.
func stay() {
	test, err := strconv.Atoi(os.Getenv("TEST"))
	if err != nil {
		panic(err)
	}
	held, err := unix.PidfdOpen(test, 0)
	if err != nil {
		panic(err)
	}
	for err = unix.EINTR; errors.Is(err, unix.EINTR); {
		_, err = unix.Poll([]unix.PollFd{{Fd: int32(held), Events: unix.POLLIN}}, -1)
	}
}

// ofTest are the variables of a command that plays parts, whose processes end with the test.
func ofTest(t *testing.T) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"SELF=" + self, "TEST=" + strconv.Itoa(os.Getpid())}
}

func note(pid int) {
	f, err := os.OpenFile("pids", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer func() { _ = f.Close() }()
	if _, err := fmt.Fprintln(f, pid); err != nil {
		panic(err)
	}
}

// tree starts processes that ignore SIGTERM, one that hides its environment, and two that left the group, and notes
// them. All end with the test.
const tree = `echo $$ > leader
for i in 1 2 3; do (trap '' TERM; while kill -0 $TEST; do sleep 1; done) & echo $! >> pids; done
env -i PATH="$PATH" sleep 1000 & echo $! >> pids
` + part + `=escape "$SELF"
` + part + `=regroup "$SELF"
echo up; wait`

const treeSize = 6

func treeCommand(t *testing.T) backend.Command {
	t.Helper()
	return backend.Command{Args: []string{"sh", "-c", tree}, Env: ofTest(t)}
}

// worker is a worker that is killed: it prints a line when its command is under way.
func worker() {
	b, err := local.New(local.Options{Dir: os.Getenv("DIR"), Launcher: local.Unisolated})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	s, err := b.Create(ctx, backend.Spec{ID: id})
	if err != nil {
		panic(err)
	}
	if err := s.Start(ctx); err != nil {
		panic(err)
	}
	cmd := backend.Command{Args: []string{"sh", "-c", tree}, Env: []string{"SELF=" + os.Args[0], "TEST=" + os.Getenv("TEST")}, Stdout: os.Stdout}
	_, err = s.Exec(ctx, cmd)
	panic(err)
}

// pidsOf returns the processes that a tree noted.
func pidsOf(t *testing.T, s backend.Sandbox) []int {
	t.Helper()
	data, err := s.Read(t.Context(), "pids")
	if err != nil {
		t.Fatal(err)
	}
	var out []int
	for _, f := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, pid)
	}
	if len(out) != treeSize {
		t.Fatalf("%d processes noted", len(out))
	}
	return out
}

// alive returns those processes that are not over.
func alive(pids []int) []int {
	var out []int
	for _, pid := range pids {
		data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err == nil && !bytes.Contains(data, []byte(") Z ")) {
			out = append(out, pid)
		}
	}
	return out
}

// TestKilledWorker checks that what a killed worker left running ends when the next one begins, and that the sandbox
// can be used and deleted then.
func TestKilledWorker(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sandboxes")
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(append(os.Environ(), part+"=worker", "DIR="+dir), ofTest(t)...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "up\n" {
		t.Fatalf("worker: %q, %v", line, err)
	}
	data, err := os.ReadFile(filepath.Join(dir, id, "workspace", "leader"))
	if err != nil {
		t.Fatal(err)
	}
	leader, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	held, err := unix.PidfdOpen(leader, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(held) }()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if n, err := unix.Poll([]unix.PollFd{{Fd: int32(held), Events: unix.POLLIN}}, 30_000); err != nil || n != 1 {
		t.Errorf("the first process outlived the worker: %v", err)
	}

	data, err = os.ReadFile(filepath.Join(dir, id, "workspace", "pids"))
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, f := range strings.Fields(string(data)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if got := alive(pids); len(got) != treeSize {
		t.Fatalf("%d processes outlived the worker: the test shows nothing", len(got))
	}
	b := newBackend(t, func(o *local.Options) { o.Dir = dir })
	if got := alive(pids); len(got) > 0 {
		t.Errorf("still there: %v", got)
	}
	s, err := b.Open(t.Context(), backend.Spec{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if running, err := s.Running(t.Context()); err != nil || running {
		t.Errorf("running = %v, %v", running, err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := sh(t, s, "ls"); got != "leader\npids\n" {
		t.Errorf("workspace %q", got)
	}
	if records, err := os.ReadDir(filepath.Join(dir, id, "run")); err != nil || len(records) > 0 {
		t.Errorf("records %v, %v", records, err)
	}
	if err := b.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	wantEmpty(t, dir)
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if diff := cmp.Diff([]string{".lock"}, names); diff != "" {
		t.Errorf("left (-want +got)\n%s", diff)
	}
}

// TestEscaped checks that processes that left the session of their command end with the sandbox.
func TestEscaped(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *local.Backend, backend.Sandbox) error{
		"stop": func(t *testing.T, _ *local.Backend, s backend.Sandbox) error { t.Helper(); return s.Stop(t.Context()) },
		"delete": func(t *testing.T, _ *local.Backend, s backend.Sandbox) error {
			t.Helper()
			return s.Delete(t.Context())
		},
		"delete by id": func(t *testing.T, b *local.Backend, _ backend.Sandbox) error {
			t.Helper()
			return b.Delete(t.Context(), id)
		},
		"close": func(_ *testing.T, b *local.Backend, _ backend.Sandbox) error { return b.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBackend(t)
			s := started(t, b, sandbox.Manifest{})
			cmd := treeCommand(t)
			up := make(chan struct{})
			cmd.Stdout = onWrite(func() { close(up) })
			done := make(chan error, 1)
			go func() {
				_, err := s.Exec(t.Context(), cmd)
				done <- err
			}()
			<-up
			pids := pidsOf(t, s)
			if got := alive(pids); len(got) != treeSize {
				t.Fatalf("%d processes run: the test shows nothing", len(got))
			}
			if err := end(t, b, s); err != nil {
				t.Fatal(err)
			}
			if got := alive(pids); len(got) > 0 {
				t.Errorf("still there: %v", got)
			}
			if err := <-done; err == nil {
				t.Error("the command ended by itself")
			}
		})
	}
}

// TestOtherGroups checks that what left the group of a command, but not its session, ends with the command's time.
func TestOtherGroups(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	ctx, cancel := context.WithCancel(t.Context())
	cmd := backend.Command{
		Args: []string{"sh", "-c", part + "=regroup \"$SELF\"; echo up; exec sleep 1000"},
		Env:  ofTest(t), Stdout: onWrite(cancel),
	}
	if _, err := s.Exec(ctx, cmd); !errors.Is(err, context.Canceled) {
		t.Errorf("exec: %v", err)
	}
	data, err := s.Read(t.Context(), "pids")
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(alive([]int{pid})) > 0 {
		t.Errorf("%d is still there", pid)
	}
}

// TestStrangers checks that a noted process that is another one by now is left alone, and one with a HOME of another
// backend, too.
func TestStrangers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sandboxes")
	b := newBackend(t, func(o *local.Options) { o.Dir = dir })
	started(t, b, sandbox.Manifest{})
	stranger := exec.CommandContext(t.Context(), "sleep", "1000")
	stranger.Env = []string{"HOME=" + dir + "-other/" + id + "/workspace", "PWD=" + filepath.Join(dir, id, "workspace")}
	stranger.Dir = filepath.Join(dir, id, "workspace")
	stranger.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	pid := stranger.Process.Pid
	defer func() {
		_ = stranger.Process.Kill()
		_ = stranger.Wait()
	}()
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(dir, id, "run", strconv.Itoa(pid))
	if err := os.WriteFile(record, []byte("another boot/123"), 0o600); err != nil {
		t.Fatal(err)
	}
	again := newBackend(t, func(o *local.Options) { o.Dir = dir })
	if err := again.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if len(alive([]int{pid})) != 1 {
		t.Error("a stranger was ended")
	}
}

// TestNothingOfTheWorker checks that commands get no variable of the worker, and that no process has a value of a
// command among its arguments.
func TestNothingOfTheWorker(t *testing.T) {
	const canary = "canary-6f1e0b7a94c2d358"
	t.Setenv("WORKER_TOKEN", "worker-"+canary)
	s := started(t, newBackend(t), sandbox.Manifest{})
	var out strings.Builder
	cmd := backend.Command{
		Args: []string{"sh", "-c", "env; cat /proc/[0-9]*/cmdline 2>/dev/null; ls -l /proc/self/fd"},
		Env:  []string{"TOKEN=own-" + canary}, Stdout: &out,
	}
	if _, err := s.Exec(t.Context(), cmd); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "TOKEN=own-"+canary) {
		t.Error("the command did not get its variable: the test shows nothing")
	}
	if n := strings.Count(out.String(), canary); n != 1 {
		t.Errorf("the value shows %d times, want once in the command's own environment", n)
	}
	if strings.Contains(out.String(), "WORKER_TOKEN") {
		t.Error("the command has a variable of the worker")
	}
}
