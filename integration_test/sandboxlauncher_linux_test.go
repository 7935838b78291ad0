package integration_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// withLaunchers runs a test without isolation and with it. On a host that cannot isolate it must be refused, which is
// all that can be seen of it there.
func withLaunchers(t *testing.T, test func(*testing.T, local.Launcher)) {
	t.Helper()
	for _, l := range []local.Launcher{local.Unisolated, local.Native} {
		t.Run(l.String(), func(t *testing.T) {
			t.Parallel()
			o := local.Options{Dir: filepath.Join(t.TempDir(), "sandboxes"), Launcher: l, Launchers: []string{l.String()}}
			can, err := local.Probe(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if can.Refusal == "" {
				test(t, l)
				return
			}
			t.Logf("%s cannot be used on this host: %s", l, can.Refusal)
			if b, err := local.New(o); err == nil {
				t.Errorf("a launcher that cannot be used was taken: %v", b.Close())
			}
		})
	}
}

// A pidFile is where a command tells its processes, in its own words and on the host.
type pidFile struct{ inside, outside string }

// pidFileFor is the place for the commands of a launcher, of which those that are isolated see the workspace alone.
func pidFileFor(t *testing.T, l local.Launcher, sandboxes string) pidFile {
	t.Helper()
	if l.Isolated() {
		return pidFile{"pids", filepath.Join(sandboxes, "*", "workspace", "pids")}
	}
	path := filepath.Join(t.TempDir(), "pids")
	return pidFile{path, path}
}

// processesOf waits for what a command tells, and returns its processes in the numbers of the host.
func (at pidFile) processesOf(ctx context.Context, t *testing.T, run client.WorkflowRun, l local.Launcher, sandboxes string) []int {
	t.Helper()
	pids := lingers(ctx, t, run, at.outside)
	if !l.Isolated() {
		return pids
	}
	first, err := filepath.Glob(filepath.Join(sandboxes, "*", "run", "[0-9]*"))
	if err != nil || len(first) != 1 {
		t.Fatalf("%d first processes are noted, %v", len(first), err)
	}
	pid, err := strconv.Atoi(filepath.Base(first[0]))
	if err != nil {
		t.Fatal(err)
	}
	all := family(t, pid)
	if len(all) <= len(pids) {
		t.Fatalf("the sandbox has %d processes, which are no more than its command told", len(all))
	}
	return all
}

// family is a process with all its descendants.
func family(t *testing.T, pid int) []int {
	t.Helper()
	children := map[int][]int{}
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		data, err := os.ReadFile(path)
		_, after, ok := strings.Cut(string(data), ") ")
		if fields := strings.Fields(after); err == nil && ok && len(fields) > 1 {
			parent, _ := strconv.Atoi(fields[1])
			child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			children[parent] = append(children[parent], child)
		}
	}
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		all = slices.Concat(all, children[all[i]])
	}
	return all
}
