package bubblewrap

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// thicket starts processes that ignore SIGTERM, some in sessions of their own, some whose parents are over. Each says that
// it is there, and has a pipe, which so ends with the last of them.
const (
	thicket = `mkfifo hold never; exec 9<>hold 8<>never; trap '' TERM
LEAVES='leaf() { printf .; read x <&8; }; i=0; while [ $i -lt 24 ]; do leaf & i=$((i+1)); done; leaf'
for k in 1 2 3 4; do setsid sh -c "$LEAVES" & done
for k in 1 2 3 4; do (setsid -f sh -c "$LEAVES"); done
read x <&8`
	thicketSize = 200
)

// hold opens that pipe.
func hold(t *testing.T, dir string) int {
	t.Helper()
	fd, err := unix.Open(filepath.Join(dir, sandboxID, "workspace", "hold"), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	if _, err := unix.Read(fd, make([]byte, 1)); !errors.Is(err, unix.EAGAIN) {
		t.Fatalf("the processes have ended: the test shows nothing: %v", err)
	}
	return fd
}

// runs is how often each way of ending a thicket is tried: 100 times and more in all, and once each in a short run.
func runs() int {
	if testing.Short() {
		return 1
	}
	return 20
}

// testThickets ends thickets in every way there is, also by the end of bwrap itself, as the kernel ends it where memory is
// short. When the call that ends one returns nothing is left of it.
func testThickets(t *testing.T) {
	ways := map[string]func(*testing.T, running) error{
		"cancellation":   func(_ *testing.T, r running) error { r.cancel(); return nil },
		"stop":           func(t *testing.T, r running) error { t.Helper(); return r.sandbox.Stop(t.Context()) },
		"delete":         func(t *testing.T, r running) error { t.Helper(); return r.sandbox.Delete(t.Context()) },
		"close":          func(_ *testing.T, r running) error { return r.backend.Close() },
		"bwrap is ended": func(t *testing.T, _ running) error { t.Helper(); return unix.Kill(child(t, "bwrap"), unix.SIGKILL) },
	}
	for name, end := range ways {
		t.Run(name, func(t *testing.T) {
			for range runs() {
				// What ends the others returns when all is over.
				endThicket(t, end, name != "cancellation" && name != "bwrap is ended")
			}
		})
	}
	t.Run("timeout", func(t *testing.T) {
		timeout := 250 * time.Millisecond
		for range runs() {
			for !timesOut(t, timeout) { // until there is time for all of them
				timeout *= 2
			}
		}
	})
}

// A running thicket, with what can end it.
type running struct {
	backend *local.Backend
	sandbox backend.Sandbox
	cancel  func()
}

// endThicket ends one that is whole. Awaited says that it is over when end returns.
func endThicket(t *testing.T, end func(*testing.T, running) error, awaited bool) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sandboxes")
	b := bubblewrap(t, local.Options{Dir: dir})
	s := startedSandbox(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	leaves, out := io.Pipe()
	type ended struct {
		result backend.Result
		err    error
	}
	done := make(chan ended, 1)
	go func() {
		r, err := s.Exec(ctx, backend.Command{Args: []string{"sh", "-c", thicket}, Stdout: out})
		_ = out.Close()
		done <- ended{r, err}
	}()
	if _, err := io.ReadFull(leaves, make([]byte, thicketSize)); err != nil {
		t.Fatal(err)
	}
	held := hold(t, dir)
	if err := end(t, running{b, s, cancel}); err != nil {
		t.Error(err)
	}
	if awaited {
		wantNobody(t, held)
	}
	got := <-done
	if !awaited {
		wantNobody(t, held)
	}
	if got.result.Emptied != "pid namespace ended" {
		t.Errorf("result: %+v, %v", got.result, got.err)
	}
}

// timesOut has a thicket end by a timeout. It is false if that was too short for all processes to begin.
func timesOut(t *testing.T, timeout time.Duration) bool {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sandboxes")
	s := startedSandbox(t, bubblewrap(t, local.Options{Dir: dir}))
	leaves, out := io.Pipe()
	held := make(chan int, 1)
	go func() {
		defer close(held)
		if n, _ := io.ReadFull(leaves, make([]byte, thicketSize)); n == thicketSize {
			held <- hold(t, dir)
		}
	}()
	r, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", thicket}, Stdout: out, Timeout: timeout})
	_ = out.Close()
	if backend.CodeOf(err) != backend.ExecTimeout || r.Emptied != "pid namespace ended" {
		t.Fatalf("result: %+v, %v", r, err)
	}
	fd, whole := <-held
	if whole {
		wantNobody(t, fd)
	}
	return whole
}

// wantNobody fails if a process holds the pipe.
func wantNobody(t *testing.T, held int) {
	t.Helper()
	if n, err := unix.Read(held, make([]byte, 1)); n != 0 || err != nil {
		t.Errorf("a process goes on: %v", err)
	}
}

// testWorkerKilled checks that nothing of a command is left when its worker is killed, with nobody to end it.
func testWorkerKilled(t *testing.T) {
	for range runs() {
		killWorker(t)
	}
}

func killWorker(t *testing.T) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sandboxes")
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = []string{workerDir + "=" + dir}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, thicketSize)); err != nil {
		t.Fatal(err)
	}
	held := hold(t, dir)
	if err := errors.Join(cmd.Process.Kill(), unix.SetNonblock(held, false)); err != nil {
		t.Fatal(err)
	}
	wantNobody(t, held) // waits for the end of all of them
	_ = cmd.Wait()
}

// workerDir makes the test's program a worker, which has a command run in a sandbox below that directory.
const workerDir = "SANDBOX_BUBBLEWRAP_WORKER"

func worker(dir string) error {
	ctx := context.Background()
	b, err := local.New(local.Options{Dir: dir, Launcher: local.Bubblewrap})
	if err != nil {
		return err
	}
	s, err := b.Create(ctx, backend.Spec{ID: sandboxID})
	if err != nil {
		return err
	}
	if err := s.Start(ctx); err != nil {
		return err
	}
	_, err = s.Exec(ctx, backend.Command{Args: []string{"sh", "-c", thicket}, Stdout: os.Stdout})
	return err
}
