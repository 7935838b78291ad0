package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/cgroup"
)

const mib = 1 << 20

// fork starts processes until it cannot, 200 at most, and prints a line for each.
const fork = `i=0; while [ $i -lt 200 ]; do sleep 1000 & echo $i; i=$((i+1)); done; exit 0`

// TestLimits reaches each limit. What is stopped is told where the kernel tells it.
func TestLimits(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	can := cgroup.Find(cgroup.Options{}).Support()
	for _, c := range []struct {
		name     string
		by       cgroup.Limit // that the host must have; empty means none, and that control groups are not used
		limits   sandbox.Limits
		script   string
		reached  *backend.Limit
		lines    int // of output, at most
		timedOut bool
	}{
		{
			name: "memory in a group", by: cgroup.Memory, limits: sandbox.Limits{Memory: 64 * mib},
			script:  "dd if=/dev/zero of=/dev/null bs=256M count=1",
			reached: &backend.Limit{Name: "memory", Value: "64MiB", Mechanism: can[cgroup.Memory].Mechanism},
		},
		{
			name: "memory of all in a group", by: cgroup.Memory, limits: sandbox.Limits{Memory: 64 * mib},
			script:  "for i in 1 2 3 4; do dd if=/dev/zero of=/dev/null bs=24M count=1 iflag=fullblock & head -c 24M /dev/zero | tail -c 24M > /dev/null & done; wait; head -c 80M /dev/zero > /tmp/f",
			reached: &backend.Limit{Name: "memory", Value: "64MiB", Mechanism: can[cgroup.Memory].Mechanism},
		},
		{
			name: "memory", limits: sandbox.Limits{Memory: 64 * mib}, script: "dd if=/dev/zero of=/dev/null bs=256M count=1",
			reached: &backend.Limit{Name: "memory", Value: "64MiB", Mechanism: "RLIMIT_AS, as its output says"},
		},
		{
			name: "processes in a group", by: cgroup.Processes, limits: sandbox.Limits{Processes: 32}, script: fork, lines: 32,
			reached: &backend.Limit{Name: "processes", Value: "32", Mechanism: can[cgroup.Processes].Mechanism},
		},
		{
			name: "processes", limits: sandbox.Limits{Processes: 32}, script: fork, lines: 32 + 16,
			reached: &backend.Limit{Name: "processes", Value: "32", Mechanism: "RLIMIT_NPROC, as its output says"},
		},
		{
			name: "disk", limits: sandbox.Limits{Disk: mib}, script: "head -c 4M /dev/zero > /tmp/f",
			reached: &backend.Limit{Name: "disk", Value: "1MiB", Mechanism: "tmpfs size"},
		},
		{
			name: "files", limits: sandbox.Limits{Disk: mib}, script: "i=0; while [ $i -lt 2000 ]; do : > /tmp/$i || exit 1; i=$((i+1)); done",
			reached: &backend.Limit{Name: "disk", Value: "1MiB", Mechanism: "tmpfs size"},
		},
		{
			name: "shared memory", limits: sandbox.Limits{Disk: mib}, script: "head -c 4M /dev/zero > /dev/shm/f",
			reached: &backend.Limit{Name: "disk", Value: "1MiB", Mechanism: "tmpfs size"},
		},
		{
			name: "file size", limits: sandbox.Limits{FileSize: mib}, script: "exec head -c 2M /dev/zero > f",
			reached: &backend.Limit{Name: "file_size", Value: "1MiB", Mechanism: "RLIMIT_FSIZE"},
		},
		{
			name: "file size in a shell", limits: sandbox.Limits{FileSize: mib}, script: "head -c 2M /dev/zero > f",
			reached: &backend.Limit{Name: "file_size", Value: "1MiB", Mechanism: "RLIMIT_FSIZE"},
		},
		{
			name: "open files", limits: sandbox.Limits{OpenFiles: 64}, script: "paste $(yes /dev/null | head -n 100)",
			reached: &backend.Limit{Name: "open_files", Value: "64", Mechanism: "RLIMIT_NOFILE, as its output says"},
		},
		{name: "more open files", limits: sandbox.Limits{OpenFiles: 64}, script: "ulimit -n 65"},
		{
			name: "cpus", limits: sandbox.Limits{CPUs: 0.01, Wall: time.Minute}, script: "while :; do :; done",
			reached: &backend.Limit{Name: "cpus", Value: "0.01", Mechanism: "RLIMIT_CPU of each process"},
		},
		{
			name: "wall", limits: sandbox.Limits{Wall: time.Second}, script: "sleep 1000", timedOut: true,
			reached: &backend.Limit{Name: "wall", Value: "1s", Mechanism: "clock"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			groups := local.WithoutGroups
			if c.by != "" {
				if groups = func(*local.Options) {}; can[c.by].Mechanism == "" {
					t.Logf("this host cannot: %s", can[c.by].Reason)
					return
				}
			}
			dir := filepath.Join(t.TempDir(), "sandboxes")
			s := started(t, newBackend(t, isolated, groups, func(o *local.Options) { o.Dir, o.Limits = dir, c.limits }), sandbox.Manifest{})
			if !c.timedOut { // any command can be too slow for that limit
				sh(t, s, "true")
			}
			before := remainsIn(t, dir)
			var out strings.Builder
			got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", c.script}, Stdout: &out})
			if c.timedOut != (backend.CodeOf(err) == backend.ExecTimeout) || !c.timedOut && (err != nil || got.ExitCode == 0) {
				t.Errorf("result %+v, %v", got, err)
			}
			var want []backend.Limit
			if c.reached != nil {
				want = []backend.Limit{*c.reached}
			}
			if diff := cmp.Diff(want, got.Reached); diff != "" {
				t.Errorf("reached (-want +got):\n%s", diff)
			}
			if lines := strings.Count(out.String(), "\n"); lines > c.lines || c.lines > 0 && lines < c.lines/2 {
				t.Errorf("%d processes, want about %d", lines, c.lines)
			}
			wantRemains(t, dir, before)
		})
	}
}

// TestHints checks what names a limit by the words of a command: only what is printed where errors are, and only by one
// that fails.
func TestHints(t *testing.T) {
	const words = "'sh: Too many open files, Cannot fork, Cannot allocate memory'"
	all := []backend.Limit{
		{Name: "open_files", Value: "64", Mechanism: "RLIMIT_NOFILE, as its output says"},
		{Name: "memory", Value: "1GiB", Mechanism: "RLIMIT_AS, as its output says"},
		{Name: "processes", Value: "64", Mechanism: "RLIMIT_NPROC, as its output says"},
	}
	for _, l := range []local.Launcher{local.Native, local.Bubblewrap, local.Landlock, local.Unisolated} {
		t.Run(l.String(), func(t *testing.T) {
			if refused(t, l) {
				return
			}
			held := all
			limits := sandbox.Limits{OpenFiles: 64, Processes: 64, Memory: 1 << 30}
			if l == local.Unisolated {
				held, limits = nil, sandbox.Limits{}
			}
			s := started(t, newBackend(t, local.WithoutGroups, func(o *local.Options) { o.Launcher, o.Limits = l, limits }), sandbox.Manifest{})
			for _, c := range []struct {
				script       string
				exec, at, no []backend.Limit // by Exec, at a terminal and by OpenTerminal without one
			}{
				{"echo " + words + " >&2; exit 3", held, held, held},
				{"echo " + words + " >&2", nil, nil, nil},
				{"echo " + words + "; exit 3", nil, held, nil},
			} {
				got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", c.script}})
				if diff := cmp.Diff(c.exec, got.Reached); err != nil || diff != "" {
					t.Errorf("%s: %v (-want +got):\n%s", c.script, err, diff)
				}
				for tty, want := range map[bool][]backend.Limit{true: c.at, false: c.no} {
					p, err := s.(backend.Terminals).OpenTerminal(t.Context(), backend.Command{Args: []string{"sh", "-c", c.script}}, tty)
					if err != nil {
						t.Fatal(err)
					}
					<-p.Done()
					got, err := p.Result()
					if diff := cmp.Diff(want, got.Reached); err != nil || diff != "" {
						t.Errorf("%s, at a terminal %t: %v (-want +got):\n%s", c.script, tty, err, diff)
					}
				}
			}
		})
	}
}

// TestHintsOfGroups checks that what a control group counts is not guessed.
func TestHintsOfGroups(t *testing.T) {
	can := cgroup.Find(cgroup.Options{}).Support()
	if refused(t, local.Native) || can[cgroup.Memory].Mechanism == "" || can[cgroup.Processes].Mechanism == "" {
		t.Logf("this host cannot: %s", can[cgroup.Memory].Reason)
		return
	}
	s := started(t, newBackend(t, isolated), sandbox.Manifest{})
	got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", "echo Cannot fork, cannot allocate memory >&2; exit 3"}})
	if err != nil || got.Reached != nil {
		t.Errorf("reached %v, %v", got.Reached, err)
	}
}

// TestOtherTimeout checks that a timeout of the caller is not taken for the limit, and the shorter of the two holds.
func TestOtherTimeout(t *testing.T) {
	for _, l := range []local.Launcher{local.Native, local.Landlock, local.Unisolated} {
		if refused(t, l) {
			continue
		}
		s := started(t, newBackend(t, func(o *local.Options) { o.Launcher, o.Limits.Wall = l, time.Hour }), sandbox.Manifest{})
		got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sleep", "1000"}, Timeout: 50 * time.Millisecond})
		if backend.CodeOf(err) != backend.ExecTimeout || got.Reached != nil {
			t.Errorf("%s: result %+v, %v", l, got, err)
		}
		s = started(t, newBackend(t, func(o *local.Options) { o.Launcher, o.Limits.Wall = l, time.Second }), sandbox.Manifest{})
		got, err = s.Exec(t.Context(), backend.Command{Args: []string{"sleep", "1000"}, Timeout: time.Hour})
		want := []backend.Limit{{Name: "wall", Value: "1s", Mechanism: "clock"}}
		if diff := cmp.Diff(want, got.Reached); backend.CodeOf(err) != backend.ExecTimeout || diff != "" {
			t.Errorf("%s: %v, reached (-want +got):\n%s", l, err, diff)
		}
	}
}

// TestCPUs looks, while a command runs, at the group that it is in.
func TestCPUs(t *testing.T) {
	means := cgroup.Find(cgroup.Options{}).Support()[cgroup.CPUs]
	if refused(t, local.Native) || means.Mechanism == "" {
		t.Logf("this host cannot: %s", means.Reason)
		return
	}
	s := started(t, newBackend(t, isolated, func(o *local.Options) { o.Limits.CPUs = 0.25 }), sandbox.Manifest{})
	var quotas []string
	up := onWrite(func() {
		for _, dir := range groupsOf(os.Getpid()) {
			for _, file := range []string{"cpu.max", "cpu.cfs_quota_us"} {
				if quota, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
					quotas = append(quotas, strings.Fields(string(quota))[0])
				}
			}
		}
	})
	if _, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", "echo up"}, Stdout: up}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"25000"}, quotas); diff != "" {
		t.Errorf("microseconds of each 100000 (-want +got):\n%s", diff)
	}
}

// TestUnheldLimit checks that a limit without a mechanism is refused when the backend is made.
func TestUnheldLimit(t *testing.T) {
	o := local.Options{
		Dir: filepath.Join(t.TempDir(), "b"), Launcher: local.Native, Limits: sandbox.Limits{CPUs: 1},
	}.With(local.WithoutGroups)
	b, err := local.New(o)
	if err == nil {
		err = errors.Join(errors.New("taken"), b.Close())
	}
	if !strings.Contains(err.Error(), "cpus cannot be held on this host, no control group: ") || !strings.Contains(err.Error(), "a limit of wall, too") {
		t.Errorf("New: %v", err)
	}
	wantProbe(t, o, err.Error())
	o = local.Options{Launcher: local.Unisolated, Limits: sandbox.Limits{Memory: 1, Output: 1, OpenFiles: 1}}
	wantProbe(t, o, "local: unisolated can hold no limits but wall, output and disk, and not those of memory, open_files that are asked for: "+
		"leave them out, or take a launcher that isolates")
}

// wantProbe checks that a probe refuses what New refuses.
func wantProbe(t *testing.T, o local.Options, want string) {
	t.Helper()
	c, err := local.Probe(t.Context(), o)
	if err != nil || c.Refusal != want || c.List != nil {
		t.Errorf("Probe: %+v, %v, want %q", c, err, want)
	}
}
