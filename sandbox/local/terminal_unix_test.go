//go:build unix

package local_test

import (
	"context"
	"errors"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// shown is what a terminal has shown.
type shown struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{} // gets one when there is more
}

func (s *shown) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
	return s.text.Write(p)
}

func (s *shown) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until the terminal has shown something.
func (s *shown) await(t *testing.T, want string) {
	t.Helper()
	timer := time.NewTimer(30 * time.Second)
	defer timer.Stop()
	for !strings.Contains(s.String(), want) {
		select {
		case <-s.more:
		case <-timer.C:
			t.Fatalf("the terminal shows %q, want %q", s, want)
		}
	}
}

func terminal(t *testing.T, s backend.Sandbox, args ...string) (backend.Terminal, *shown) {
	t.Helper()
	out := &shown{more: make(chan struct{}, 1)}
	p, err := s.(backend.Terminals).OpenTerminal(t.Context(), backend.Command{Args: args, Stdout: out, Stderr: out}, true)
	if err != nil {
		t.Fatal(err)
	}
	return p, out
}

func press(t *testing.T, p backend.Terminal, keys string) {
	t.Helper()
	if err := p.Write(t.Context(), []byte(keys)); err != nil {
		t.Fatal(err)
	}
}

// onTerminal runs a script at a terminal to its end.
func onTerminal(t *testing.T, s backend.Sandbox, script string) (string, backend.Result) {
	t.Helper()
	p, out := terminal(t, s, "sh", "-c", script)
	<-p.Done()
	result, err := p.Result()
	if err != nil {
		t.Errorf("%q: %v", script, err)
	}
	return out.String(), result
}

// TestTerminal checks what a command finds at its terminal.
func TestTerminal(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	for script, want := range map[string]string{
		"[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo three": "three\r\n",
		"echo control >/dev/tty":                         "control\r\n",
		"stty size":                                      "24 80\r\n",
		"echo $TERM":                                     "dumb\r\n",
		"echo to err >&2":                                "to err\r\n",
		"[ $(ps -o sid= -p $$) = $$ ] && echo leads":     "leads\r\n",
		"seq 1 20000 | tail -1":                          "20000\r\n",
	} {
		if got, result := onTerminal(t, s, script); got != want || result.ExitCode != 0 {
			t.Errorf("%q: exit code %d, out %q", script, result.ExitCode, got)
		}
	}
	long, _ := onTerminal(t, s, "seq 1 20000")
	if want := strings.Count(long, "\r\n"); want != 20000 || !strings.HasSuffix(long, "\r\n20000\r\n") {
		t.Errorf("%d lines of a long output", want)
	}
	for range 20 {
		if got, _ := onTerminal(t, s, "printf last"); got != "last" {
			t.Fatalf("the last of the output is lost: %q", got)
		}
	}
}

// TestInterrupt checks that Ctrl-C ends what is in the foreground and nothing else: neither the shell nor its jobs.
func TestInterrupt(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	sh(t, s, "mkfifo go hold")
	p, out := terminal(t, s, "sh", "-i")
	// What is echoed must not look like what is put out.
	press(t, p, "(trap 'echo job' INT; read x <go; echo \"job $x\" there; read x <go) &\n")
	press(t, p, "trap 'echo sh''ell' INT; (trap 'echo fore''ground; exit 7' INT; echo u''p; read x <hold)\n")
	out.await(t, "up\r\n")
	press(t, p, "\x03")
	out.await(t, "foreground\r\n")
	press(t, p, "echo prompt $? is back; echo is >go\n")
	out.await(t, "job is there\r\n")
	if got := out.String(); strings.Contains(got, "job\r\n") {
		t.Errorf("the job was interrupted: %q", got)
	}
	press(t, p, "exit 5\n")
	<-p.Done()
	if result, err := p.Result(); err != nil || result.ExitCode != 5 {
		t.Errorf("exit code %d, %v\n%s", result.ExitCode, err, out)
	}
}

// TestIgnoredByWorker checks that signals which the worker ignores end what runs at a terminal, and that the worker
// ignores them later, too.
func TestIgnoredByWorker(t *testing.T) {
	signal.Ignore(syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Reset(syscall.SIGINT, syscall.SIGQUIT)
	s := started(t, newBackend(t), sandbox.Manifest{})
	for script, want := range map[string]int{"kill -INT $$": -2, "kill -QUIT $$": -3} {
		if out, result := onTerminal(t, s, "ulimit -c 0; "+script); result.ExitCode != want {
			t.Errorf("%q: exit code %d, out %q", script, result.ExitCode, out)
		}
	}
	if !signal.Ignored(syscall.SIGINT) || !signal.Ignored(syscall.SIGQUIT) {
		t.Error("the worker does not ignore them any more")
	}
}

// TestJobsEnd checks that nothing of a terminal is left when its first process is over, in whatever group, and that a
// shell with a prompt ends at once.
func TestJobsEnd(t *testing.T) {
	s := started(t, newBackend(t, func(o *local.Options) { o.Grace = time.Hour }), sandbox.Manifest{})
	sh(t, s, "mkfifo hold")
	p, out := terminal(t, s, "sh", "-i")
	press(t, p, "cat <hold & echo pid''=$!.\n")
	out.await(t, ".\r\n")
	_, after, _ := strings.Cut(out.String(), "pid=")
	pid, _, _ := strings.Cut(after, ".")
	press(t, p, "exit\n")
	<-p.Done()
	// One that nobody has waited for yet is over, too.
	over := "kill -0 " + pid + " 2>/dev/null || echo over; case $(cat /proc/" + pid + "/stat 2>/dev/null) in *') Z '*) echo over;; esac"
	if got := sh(t, s, over); got != "over\n" {
		t.Errorf("a job was left")
	}
	p, out = terminal(t, s, "sh", "-i")
	press(t, p, "echo u''p\n")
	out.await(t, "up\r\n")
	p.Kill()
	<-p.Done() // long before the hour is over
	if _, err := p.Result(); err == nil {
		t.Error("a killed shell has no error")
	}
}

// TestClosedWithTerminal checks that Close ends what runs at a terminal.
func TestClosedWithTerminal(t *testing.T) {
	b := newBackend(t)
	s := started(t, b, sandbox.Manifest{})
	p, out := terminal(t, s, "sh", "-c", "echo up; read x")
	out.await(t, "up\r\n")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.Done():
	default:
		t.Error("the command was not over")
	}
	if _, err := p.Result(); !errors.Is(err, local.ErrStopped) {
		t.Errorf("ended with %v", err)
	}
}

// TestNoEcho checks that nothing is echoed where a program has asked for that, as for a password.
func TestNoEcho(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	p, out := terminal(t, s, "sh", "-c", `stty -echo; printf 'password: '; read x; echo "got ${#x}"`)
	out.await(t, "password: ")
	press(t, p, "hunter2\n")
	<-p.Done()
	if got := out.String(); got != "password: got 7\r\n" {
		t.Errorf("shown %q", got)
	}
}

// TestWriteWaits checks that typing for a program that does not read ends with its context, and that one can go on
// then.
func TestWriteWaits(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	sh(t, s, "mkfifo go")
	p, out := terminal(t, s, "sh", "-c", "stty raw -echo; echo up; read x <go; exec cat >/dev/null")
	out.await(t, "up\n")
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := p.Write(ctx, make([]byte, 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("write: %v", err)
	}
	sh(t, s, "echo go >go")
	press(t, p, strings.Repeat("x", 1<<20))
	p.Kill()
	<-p.Done()
}

// TestTerminalWall ends what runs at a terminal, or is talked to without one, when its time is over.
func TestTerminalWall(t *testing.T) {
	for _, l := range []local.Launcher{local.Native, local.Landlock, local.Unisolated} {
		if refused(t, l) {
			continue
		}
		s := started(t, newBackend(t, func(o *local.Options) { o.Launcher, o.Limits.Wall = l, 50*time.Millisecond }), sandbox.Manifest{})
		for _, tty := range []bool{false, true} {
			p, err := s.(backend.Terminals).OpenTerminal(t.Context(), backend.Command{Args: []string{"sleep", "1000"}}, tty)
			if tty && backend.CodeOf(err) == backend.ExecTimeout {
				continue // its time was over before it had a terminal
			}
			if err != nil {
				t.Fatal(err)
			}
			<-p.Done()
			got, err := p.Result()
			want := []backend.Limit{{Name: "wall", Value: "50ms", Mechanism: "clock"}}
			if diff := cmp.Diff(want, got.Reached); backend.CodeOf(err) != backend.ExecTimeout || diff != "" {
				t.Errorf("%s, terminal %v: %v, reached (-want +got):\n%s", l, tty, err, diff)
			}
		}
	}
}
