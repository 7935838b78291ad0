package local_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestSignalsToTheFirst checks that a command cannot end the first process, or have it say anything.
func TestSignalsToTheFirst(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	s := started(t, newBackend(t, isolated), sandbox.Manifest{})
	var out, traces strings.Builder
	result, err := s.Exec(t.Context(), backend.Command{
		Args: []string{"sh", "-c", `i=1; while [ $i -le 64 ]; do kill -$i 1; i=$((i+1)); done; echo here`}, Stdout: &out, Stderr: &traces,
	})
	if err != nil || result.ExitCode != 0 || out.String() != "here\n" || traces.Len() > 0 {
		t.Errorf("result %+v, %v, printed %q and %q", result, err, out.String(), traces.String())
	}
}

// TestKilledFirst checks that a first process which the host ends, as for want of memory, is told as the end of a command
// that ran, and takes everything with it.
func TestKilledFirst(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	dir := filepath.Join(t.TempDir(), "sandboxes")
	s := started(t, newBackend(t, isolated, func(o *local.Options) { o.Dir = dir }), sandbox.Manifest{})
	workspace := filepath.Join(dir, id, "workspace")
	if err := makePipes(workspace); err != nil {
		t.Fatal(err)
	}
	before, h := remainsIn(t, dir), openHold(t, workspace)
	self := strconv.Itoa(os.Getpid())
	go func() {
		if !h.awaitAll() {
			return
		}
		parents := holders(t)
		for name, p := range parents {
			if pid, err := strconv.Atoi(name); err == nil && p.first() && parents[p.Parent].Parent == self {
				_ = unix.Kill(pid, unix.SIGKILL)
			}
		}
	}()
	got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", thicket}})
	if !h.close(t) {
		t.Error("a process was left")
	}
	want := backend.Result{ExitCode: -int(unix.SIGKILL), Emptied: "pid namespace ended"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("exec: %v (-want +got):\n%s", err, diff)
	}
	wantRemains(t, dir, before)
}

// TestLostStarter checks that the end of a command is seen that took the place of a lost one, of which something may still
// be there: it has a channel of its own.
func TestLostStarter(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	b := newBackend(t, isolated)
	s := started(t, b, sandbox.Manifest{})
	closed, err := local.LoseStarter(b)
	if err != nil {
		t.Fatal(err)
	}
	defer closed()
	var kill sync.Once
	got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", "echo; while :; do sleep 1000; done"}, Stdout: writes(func([]byte) {
		kill.Do(func() {
			if err := local.KillStarter(b); err != nil {
				t.Error(err)
			}
		})
	})})
	want := backend.Result{ExitCode: -int(unix.SIGKILL), Emptied: "pid namespace ended"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("exec: %v (-want +got):\n%s", err, diff)
	}
}
