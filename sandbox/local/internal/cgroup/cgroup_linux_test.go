package cgroup_test

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/cgroup"
)

// The tests in this file use what the host has. What it has not must be refused with the reason, and the test ends.

func findTree(t *testing.T) *cgroup.Tree {
	t.Helper()
	tree := cgroup.Find(cgroup.Options{})
	t.Cleanup(func() {
		if err := tree.Close(); err != nil {
			t.Error(err)
		}
	})
	return tree
}

// newGroup is nil if the host has no means for the limits, of which one is asked for at most.
func newGroup(t *testing.T, tree *cgroup.Tree, l cgroup.Limits) *cgroup.Group {
	t.Helper()
	support := tree.Support()
	g, err := tree.New(l)
	missing := support[cgroup.Kill].Reason
	switch {
	case missing != "":
	case l.Memory != 0:
		missing = support[cgroup.Memory].Reason
	case l.Processes != 0:
		missing = support[cgroup.Processes].Reason
	case l.CPUs != 0:
		missing = support[cgroup.CPUs].Reason
	}
	if missing != "" {
		if !errors.Is(err, cgroup.ErrUnavailable) || !strings.Contains(err.Error(), missing) {
			t.Errorf("got %v, want ErrUnavailable and the reason %q", err, missing)
		}
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, g) })
	return g
}

// end ends and removes a group, and looks that nothing is left.
func end(t *testing.T, g *cgroup.Group) {
	t.Helper()
	if err := errors.Join(g.Kill(), g.Remove()); err != nil {
		t.Error(err)
	}
	for _, dir := range g.Dirs() {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Error("a directory of the group is left")
		}
	}
	if empty, err := g.Empty(); !empty || err != nil {
		t.Errorf("a group that was removed is empty: %v, %v", empty, err)
	}
}

// helper is a process that waits at its gate.
type helper struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t *testing.T, play string, args ...string) *helper {
	t.Helper()
	c := exec.Command(os.Args[0])
	if len(args) > 0 {
		c = exec.Command(args[0], args[1:]...)
	}
	c.Env = append(os.Environ(), part+"="+play)
	in, err := c.StdinPipe()
	out, err2 := c.StdoutPipe()
	if err := errors.Join(err, err2, c.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return &helper{c, in, bufio.NewReader(out)}
}

func (h *helper) enter(t *testing.T, g *cgroup.Group) {
	t.Helper()
	if err := g.Add(h.Process.Pid); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(h.in, "\n"); err != nil {
		t.Fatal(err)
	}
}

// lines reads until the helper is ready.
func (h *helper) lines(t *testing.T) []string {
	t.Helper()
	var all []string
	for {
		line, err := h.out.ReadString('\n')
		if err != nil {
			t.Fatalf("the helper ended early: %v", err)
		}
		if line == "ready\n" {
			return all
		}
		all = append(all, strings.TrimSpace(line))
	}
}

func checkHits(t *testing.T, g *cgroup.Group, want ...cgroup.Hit) {
	t.Helper()
	hits, err := g.Hits()
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, hits, cmpopts.IgnoreFields(cgroup.Hit{}, "Count", "Mechanism")); d != "" {
		t.Errorf("hits (-want +got):\n%s", d)
	}
	for _, h := range hits {
		if h.Count < 1 || !strings.HasPrefix(h.Mechanism, "cgroup v") {
			t.Errorf("a hit without a count or a mechanism: %+v", h)
		}
	}
}

func TestSupportHasAMeansOrAReason(t *testing.T) {
	support := findTree(t).Support()
	for _, what := range []cgroup.Limit{cgroup.Memory, cgroup.Processes, cgroup.CPUs, cgroup.Kill} {
		m := support[what]
		t.Logf("%s: %+v", what, m)
		if (m.Mechanism == "") == (m.Reason == "") {
			t.Errorf("%s: got %+v, want one of the two", what, m)
		}
	}
}

func TestMemoryIsLimited(t *testing.T) {
	const limit = 64 * mib
	g := newGroup(t, findTree(t), cgroup.Limits{Memory: limit})
	if g == nil {
		return
	}
	checkHits(t, g)
	h := start(t, "allocate")
	h.enter(t, g)
	_ = h.Wait()
	if status := h.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		t.Errorf("the process ended with %v, want SIGKILL", status)
	}
	checkHits(t, g, cgroup.Hit{Limit: cgroup.Memory, Value: limit})
}

// A process that is killed, but not for memory, did not hit the limit.
func TestKillIsNoHit(t *testing.T) {
	g := newGroup(t, findTree(t), cgroup.Limits{Memory: 64 * mib})
	if g == nil {
		return
	}
	h := start(t, "", "sh", "-c", "read x; sleep 120")
	h.enter(t, g)
	if err := g.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = h.Wait()
	checkHits(t, g)
}

func TestProcessesAreLimited(t *testing.T) {
	const limit, bomb = 16, "read x; i=0; while [ $i -lt 60 ]; do sleep 120 & i=$((i+1)); done; echo all; wait"
	g := newGroup(t, findTree(t), cgroup.Limits{Processes: limit})
	if g == nil {
		return
	}
	h := start(t, "", "sh", "-c", bomb)
	h.enter(t, g)
	// The first refusal ends the shell, but what it started has its output.
	state, err := h.Process.Wait()
	if err != nil || state.Success() {
		t.Errorf("the shell ended with %v, %v, want a failure", state, err)
	}
	checkHits(t, g, cgroup.Hit{Limit: cgroup.Processes, Value: limit})
	if empty, err := g.Empty(); empty || err != nil {
		t.Errorf("with processes in it the group is empty: %v, %v", empty, err)
	}
}

func TestCPUsAreLimited(t *testing.T) {
	g := newGroup(t, findTree(t), cgroup.Limits{CPUs: 0.5})
	if g == nil {
		return
	}
	h := start(t, "", "sh", "-c", "read x; sleep 120")
	h.enter(t, g)
	checkHits(t, g)
}

func TestAllLimitsAtOnce(t *testing.T) {
	tree := findTree(t)
	for _, m := range tree.Support() {
		if m.Reason != "" {
			return // what is missing is refused, as the other tests see
		}
	}
	g, err := tree.New(cgroup.Limits{Memory: 64 * mib, Processes: 64, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, g) })
	h := start(t, "", "sh", "-c", "read x; exit 7")
	h.enter(t, g)
	_ = h.Wait()
	if code := h.ProcessState.ExitCode(); code != 7 {
		t.Errorf("a process within its limits ended with %d, want 7", code)
	}
	checkHits(t, g)
}

func TestKillEndsScatteredProcesses(t *testing.T) {
	for name, tree := range map[string]*cgroup.Tree{
		"by the best means": findTree(t), "without cgroup.kill": findTree(t).WithoutCgroupKill(),
	} {
		t.Run(name, func(t *testing.T) {
			if g := newGroup(t, tree, cgroup.Limits{}); g != nil {
				checkKill(t, g)
			}
		})
	}
}

func checkKill(t *testing.T, g *cgroup.Group) {
	t.Helper()
	h := start(t, "scatter")
	h.enter(t, g)
	pids := h.lines(t)
	if len(pids) != 50 {
		t.Fatalf("%d processes were started, want 50", len(pids))
	}
	if empty, err := g.Empty(); empty || err != nil {
		t.Errorf("with processes in it the group is empty: %v, %v", empty, err)
	}
	end(t, g)
	for _, pid := range pids {
		if running(pid) {
			t.Errorf("process %s is still running", pid)
		}
	}
}

// running is false for a process that is over, but that nobody has waited for.
func running(pid string) bool {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

func TestFDStartsInTheGroup(t *testing.T) {
	tree := findTree(t)
	g := newGroup(t, tree, cgroup.Limits{})
	if g == nil {
		return
	}
	fd, ok := g.FD()
	if !ok {
		if tree.Support()[cgroup.Kill].Mechanism == "cgroup v2 cgroup.kill" {
			t.Error("a group in version 2 alone has no descriptor")
		}
		return
	}
	c := exec.Command("sleep", "120")
	c.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: fd}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if empty, err := g.Empty(); empty || err != nil {
		t.Errorf("with a process in it the group is empty: %v, %v", empty, err)
	}
	end(t, g)
	if _, ok := g.FD(); ok {
		t.Error("a group that was removed has a descriptor")
	}
	if err := c.Wait(); err == nil {
		t.Error("the process was not killed")
	}
}

func TestRemoveStale(t *testing.T) {
	tree := findTree(t)
	own := newGroup(t, tree, cgroup.Limits{})
	if own == nil {
		return
	}
	dead, living := start(t, "leave"), start(t, "leave")
	left, kept := dead.lines(t), living.lines(t)
	if len(left) < 2 || len(kept) < 2 {
		t.Fatalf("the workers made no groups: %d and %d lines", len(left), len(kept))
	}
	t.Cleanup(func() {
		_ = living.Process.Kill()
		_ = living.Wait()
		if err := tree.RemoveStale(); err != nil {
			t.Error(err)
		}
		checkGone(t, kept)
	})
	_ = dead.Process.Kill()
	_ = dead.Wait()
	if err := tree.RemoveStale(); err != nil {
		t.Fatal(err)
	}
	checkGone(t, left)
	for _, dir := range append(kept[1:], own.Dirs()...) {
		if _, err := os.Stat(dir); err != nil {
			t.Error("a group of a living worker was removed")
		}
	}
	if !running(kept[0]) {
		t.Error("a process of a living worker was ended")
	}
}

// checkGone looks that a process and the directories after it are gone.
func checkGone(t *testing.T, lines []string) {
	t.Helper()
	if running(lines[0]) {
		t.Error("a process of a worker that is over is still running")
	}
	for _, dir := range lines[1:] {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Error("a group of a worker that is over is left")
		}
	}
}

func TestAddOfNoProcess(t *testing.T) {
	g := newGroup(t, findTree(t), cgroup.Limits{})
	if g == nil {
		return
	}
	h := start(t, "", "sh", "-c", "exit 0")
	_ = h.Wait()
	for _, pid := range []int{0, -1, h.Process.Pid} {
		err := g.Add(pid)
		if err == nil {
			t.Errorf("process %d was added", pid)
			continue
		}
		for _, dir := range g.Dirs() {
			if strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), strconv.Quote(dir)) {
				t.Errorf("the error shows a path: %v", err)
			}
		}
	}
}
