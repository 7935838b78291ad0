package local_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// thicket starts 200 processes that ignore SIGTERM: some in sessions of their own, some whose parents are over. Each holds
// a pipe that the host reads, tells so through it, and then reads one that nobody writes to.
const (
	thicket = `exec 9>hold 8<>never; trap '' TERM
leaf() { printf . >&9; read x <&8; }
LEAVES='leaf() { printf . >&9; read x <&8; }; i=0; while [ $i -lt 24 ]; do leaf & i=$((i+1)); done; leaf'
for k in 1 2 3 4; do setsid sh -c "$LEAVES" & done
for k in 1 2 3; do (setsid -f sh -c "$LEAVES"); done
i=0; while [ $i -lt 24 ]; do (leaf &); i=$((i+1)); done
leaf`
	thicketSize = 200
)

// patience is for what must happen: it is only waited for in full where a test fails.
const patience = 30 * time.Second

// A hold is the host's end of the pipe that all processes of a thicket hold.
type hold struct{ read, keep *os.File }

// makePipes makes those of a thicket in a workspace, for any account to open.
func makePipes(workspace string) error {
	var err error
	for _, name := range []string{"hold", "never"} {
		pipe := filepath.Join(workspace, name)
		if made := syscall.Mkfifo(pipe, 0o600); !errors.Is(made, os.ErrExist) {
			err = errors.Join(err, made, os.Chmod(pipe, 0o666))
		}
	}
	return err
}

func openHold(t *testing.T, workspace string) hold {
	t.Helper()
	name := filepath.Join(workspace, "hold")
	// A pipe without a writer is at its end, so there is one until others are.
	keep, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	read, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := read.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return hold{read, keep}
}

// awaitAll returns when all processes of a thicket are there. It is false if it was given up before.
func (h hold) awaitAll() bool {
	_, err := io.ReadFull(h.read, make([]byte, thicketSize))
	_ = h.keep.Close()
	return err == nil
}

// giveUp ends the waiting.
func (h hold) giveUp() { _ = h.read.SetReadDeadline(time.Now()) }

// close reports whether nobody holds the pipe any more.
func (h hold) close(t *testing.T) bool {
	t.Helper()
	defer func() { _ = h.read.Close() }()
	conn, err := h.read.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	n, buf := 1, make([]byte, 2*thicketSize)
	var failure error
	err = conn.Control(func(fd uintptr) {
		for n > 0 && failure == nil { // past what a thicket said that was not waited for
			n, failure = unix.Read(int(fd), buf)
		}
	})
	return n == 0 && errors.Join(err, failure) == nil
}

// TestThickets ends thickets in every way there is, 100 times. When the call that ends one returns nothing is left of it.
func TestThickets(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*local.Options)
		by     string
		runs   int
	}{
		{"native", isolated, "pid namespace ended", 20},
		{"landlock", confined, "landlock domain ended", 5},
		{"landlock without groups", func(o *local.Options) { confined(o); local.WithoutGroups(o) }, "landlock domain ended", 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o local.Options
			if c.change(&o); !refused(t, o.Launcher) {
				thickets(t, c.change, c.by, c.runs)
			}
		})
	}
}

func thickets(t *testing.T, change func(*local.Options), by string, runs int) {
	t.Helper()
	timeout := 250 * time.Millisecond
	for _, c := range []struct {
		name string
		end  func(context.Context, *local.Backend, backend.Sandbox, context.CancelFunc) error
		want func(error) bool
	}{
		{
			"timeout", nil,
			func(err error) bool { return backend.CodeOf(err) == backend.ExecTimeout },
		},
		{
			"cancellation",
			func(_ context.Context, _ *local.Backend, _ backend.Sandbox, cancel context.CancelFunc) error {
				cancel()
				return nil
			},
			func(err error) bool { return errors.Is(err, context.Canceled) },
		},
		{
			"stop",
			func(ctx context.Context, _ *local.Backend, s backend.Sandbox, _ context.CancelFunc) error {
				return s.Stop(ctx)
			},
			isStopped,
		},
		{
			"delete",
			func(ctx context.Context, _ *local.Backend, s backend.Sandbox, _ context.CancelFunc) error {
				return s.Delete(ctx)
			},
			isStopped,
		},
		{
			"close",
			func(_ context.Context, b *local.Backend, _ backend.Sandbox, _ context.CancelFunc) error {
				return b.Close()
			},
			isStopped,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "sandboxes")
			options := func(o *local.Options) { o.Dir, o.Grace = dir, 10*time.Millisecond }
			b := newBackend(t, change, options)
			sh(t, started(t, b, sandbox.Manifest{}), "true")
			before := remainsIn(t, dir)
			for run := 0; run < runs; {
				s := started(t, b, sandbox.Manifest{})
				workspace := filepath.Join(dir, id, "workspace")
				if err := makePipes(workspace); err != nil {
					t.Fatal(err)
				}
				h := openHold(t, workspace)
				ctx, cancel := context.WithCancel(t.Context())
				cmd := backend.Command{Args: []string{"sh", "-c", thicket}}
				if c.end == nil {
					cmd.Timeout = timeout
				}
				type outcome struct {
					result backend.Result
					err    error
				}
				done := make(chan outcome, 1)
				go func() {
					r, err := s.Exec(ctx, cmd)
					h.giveUp()
					done <- outcome{r, err}
				}()
				all := h.awaitAll()
				var ended error
				if c.end != nil {
					if !all {
						t.Fatal("there are too few processes: the test shows nothing")
					}
					ended = c.end(t.Context(), b, s, cancel)
					// Stop, Delete and Close return when all is over; a cancellation is followed by the return of the command.
					if c.name != "cancellation" && !h.close(t) {
						t.Fatal("a process was left when the sandbox was said to be ended")
					}
				}
				got := <-done
				cancel()
				if (c.end == nil || c.name == "cancellation") && !h.close(t) {
					t.Fatal("a process was left when the command was said to be over")
				}
				if ended != nil || !c.want(got.err) || got.result.Emptied != by {
					t.Fatalf("ended: %v, exec: %+v, %v", ended, got.result, got.err)
				}
				if c.name == "close" {
					b = newBackend(t, change, options)
				}
				if all {
					run++
				} else {
					timeout *= 2 // they need longer here
				}
			}
			wantRemains(t, dir, before)
		})
	}
}

// isStopped is for what Stop, Delete and Close ended.
func isStopped(err error) bool { return errors.Is(err, local.ErrStopped) }

// isolatedWorker is a worker that is killed while a thicket is there. It waits for a line before it runs that.
func isolatedWorker() {
	dir := os.Getenv("DIR")
	b, err := local.New(local.Options{Dir: dir, Launcher: launcherOfPart()})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	s, err := b.Create(ctx, backend.Spec{ID: id})
	if err == nil {
		err = s.Start(ctx)
	}
	if err := errors.Join(err, makePipes(filepath.Join(dir, id, "workspace"))); err != nil {
		panic(err)
	}
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	_, err = s.Exec(ctx, backend.Command{Args: []string{"sh", "-c", thicket}})
	panic(err)
}

// TestKilledIsolatedWorker checks that nothing that a killed worker ran outlives it, and that the next one can use and
// delete its sandboxes.
func TestKilledIsolatedWorker(t *testing.T) {
	for _, l := range []local.Launcher{local.Native, local.Landlock} {
		t.Run(l.String(), func(t *testing.T) {
			if !refused(t, l) {
				killedWorker(t, l)
			}
		})
	}
}

func killedWorker(t *testing.T, l local.Launcher) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sandboxes")
	passable(t, local.Options{Launcher: l})
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), part+"=isolated worker", "DIR="+dir, "LAUNCHER="+l.String())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "ready\n" {
		t.Fatalf("worker: %q, %v", line, err)
	}
	h := openHold(t, filepath.Join(dir, id, "workspace"))
	if _, err := in.Write([]byte("\n")); err != nil {
		t.Fatal(err)
	}
	if !h.awaitAll() {
		t.Fatal("there are too few processes: the test shows nothing")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	// Nobody waits for them but the kernel, so their end is.
	_ = h.read.SetReadDeadline(time.Now().Add(patience))
	if n, err := h.read.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("a process outlived the worker: %d, %v", n, err)
	}
	_ = h.read.Close()

	before := remainsIn(t, dir)
	b := newBackend(t, func(o *local.Options) { o.Launcher, o.Dir = l, dir })
	if groups := groupsOf(cmd.Process.Pid); len(groups) > 0 {
		t.Errorf("control groups of the killed worker: %v", groups)
	}
	s, err := b.Open(t.Context(), backend.Spec{ID: id})
	if err == nil {
		err = s.Start(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := sh(t, s, "ls"); got != "hold\nnever\n" {
		t.Errorf("workspace %q", got)
	}
	if records := remainsIn(t, dir).Records; len(records) > 0 {
		t.Errorf("records %v, before %v", records, before.Records)
	}
	if err := b.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	wantEmpty(t, dir)
}
