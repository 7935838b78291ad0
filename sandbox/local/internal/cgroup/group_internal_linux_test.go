package cgroup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func fakeTree(t *testing.T, have ...made) (*fakeHost, *Tree) {
	t.Helper()
	h := newFake(t, have...)
	return h, find(h, h.mounts, h.groups, worker, Options{})
}

func v1All() []made {
	return []made{{controllers: "memory", group: "/"}, {controllers: "pids", group: "/"}, {controllers: "cpu", group: "/"}}
}

func v2All() []made { return []made{{group: "/", has: all}} }

func TestNewWritesLimits(t *testing.T) {
	full := Limits{Memory: 64 << 20, Processes: 20, CPUs: 1.5}
	for _, tt := range []struct {
		name string
		have []made
		l    Limits
		want map[string]string // "max" is what a new group has
	}{
		{"version 2", v2All(), full, map[string]string{
			"memory.max": "67108864", "memory.swap.max": "0", "pids.max": "20", "cpu.max": "150000 100000",
		}},
		{"version 2, none", v2All(), Limits{}, map[string]string{
			"memory.max": "max", "memory.swap.max": "max", "pids.max": "max", "cpu.max": "max",
		}},
		{"version 1", v1All(), full, map[string]string{
			"memory.limit_in_bytes": "67108864", "memory.memsw.limit_in_bytes": "67108864",
			"pids.max": "20", "cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "150000",
		}},
		{"version 1, one", v1All(), Limits{CPUs: 0.01}, map[string]string{
			"pids.max": "max", "cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "1000",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, tree := fakeTree(t, tt.have...)
			g, err := tree.New(tt.l)
			must(t, err)
			got := map[string]string{}
			for _, dir := range g.Dirs() {
				for file := range tt.want {
					if data, err := os.ReadFile(filepath.Join(dir, file)); err == nil {
						got[file] = strings.TrimSpace(string(data))
					}
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
			must(t, g.Remove())
		})
	}
}

func TestNewRefusesLimits(t *testing.T) {
	for _, l := range []Limits{{Memory: -1}, {Processes: -1}, {CPUs: -1}, {CPUs: 0.009}, {CPUs: nan()}, {CPUs: 1e300}} {
		_, tree := fakeTree(t, v2All()...)
		if g, err := tree.New(l); err == nil || g != nil {
			t.Errorf("%+v: got no error", l)
		}
	}
}

func nan() float64 { f, _ := strconv.ParseFloat("nan", 64); return f }

// A limit that does not stick is none.
func TestNewReadsBack(t *testing.T) {
	for file, l := range map[string]Limits{
		"memory.max": {Memory: 1 << 30}, "memory.swap.max": {Memory: 1 << 30}, "pids.max": {Processes: 3}, "cpu.max": {CPUs: 1},
	} {
		h, tree := fakeTree(t, v2All()...)
		h.lie = file
		_, err := tree.New(l)
		if err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("got %v, want an error that names %s", err, file)
		}
		must(t, tree.Close())
		if d := cmp.Diff([]string{}, h.groupsBelow(t)); d != "" {
			t.Errorf("%s: groups that are left:\n%s", file, d)
		}
	}
}

func TestRoundedToPages(t *testing.T) {
	page := os.Getpagesize()
	for got, want := range map[int]bool{10 * page: true, 9*page + 1: true, 9 * page: false, 10*page + 1: false, 0: false} {
		s := setting{text: strconv.Itoa(10 * page), rounded: true}
		if s.holds(strconv.Itoa(got)) != want {
			t.Errorf("%d for %s: want %v", got, s.text, want)
		}
	}
	for _, got := range []string{"max", "0"} {
		if (setting{text: "10", rounded: true}).holds(got) {
			t.Errorf("%s is taken for a limit of 10", got)
		}
	}
}

func TestHits(t *testing.T) {
	l := Limits{Memory: 64 << 20, Processes: 20, CPUs: 1}
	for _, tt := range []struct {
		name  string
		have  []made
		files map[string]string
		want  []Hit
	}{
		{"version 2, none", v2All(), map[string]string{"memory.events": "low 0\nmax 9\noom 0\noom_kill 0\n", "pids.events": "max 0\n"}, nil},
		{
			"version 2", v2All(),
			map[string]string{"memory.events": "max 9\noom 3\noom_kill 2\noom_group_kill 0\n", "pids.events": "max 5\n"},
			[]Hit{{Memory, "cgroup v2 memory.events", 64 << 20, 2}, {Processes, "cgroup v2 pids.events", 20, 5}},
		},
		{"version 2, killed by a limit above", v2All(), map[string]string{"memory.events": "oom 0\noom_kill 2\n"}, nil},
		{
			"version 2, an older kernel", v2All(),
			map[string]string{"memory.events": "oom_kill 2\n"},
			[]Hit{{Memory, "cgroup v2 memory.events", 64 << 20, 2}},
		},
		{"version 1, none", v1All(), map[string]string{"memory.oom_control": "oom_kill_disable 0\noom_kill 0\n", "memory.failcnt": "9"}, nil},
		{
			"version 1", v1All(),
			map[string]string{"memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n", "pids.events": "max 1\n"},
			[]Hit{{Memory, "cgroup v1 memory.oom_control", 64 << 20, 1}, {Processes, "cgroup v1 pids.events", 20, 1}},
		},
		{
			"version 1, an older kernel", v1All(),
			map[string]string{"memory.oom_control": "under_oom 0\n", "memory.failcnt": "4\n"},
			[]Hit{{Memory, "cgroup v1 memory.failcnt", 64 << 20, 4}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, tree := fakeTree(t, tt.have...)
			g, err := tree.New(l)
			must(t, err)
			for _, dir := range g.Dirs() {
				for file, text := range tt.files {
					if _, err := os.Stat(filepath.Join(dir, file)); err == nil {
						put(t, filepath.Join(dir, file), text)
					}
				}
			}
			hits, err := g.Hits()
			must(t, err)
			if d := cmp.Diff(tt.want, hits); d != "" {
				t.Errorf("hits (-want +got):\n%s", d)
			}
			must(t, g.Remove())
		})
	}
}

func TestHitsOfARemovedGroup(t *testing.T) {
	_, tree := fakeTree(t, v2All()...)
	g, err := tree.New(Limits{Processes: 1})
	must(t, err)
	must(t, g.Remove())
	if _, err := g.Hits(); err == nil || strings.Contains(err.Error(), "/") {
		t.Errorf("got %v, want an error without a path", err)
	}
}

// Without cgroup.kill a group's processes are ended by signals. The fake host never takes them out, so that one does.
func TestKillBySignals(t *testing.T) {
	_, tree := fakeTree(t, v1All()...)
	g, err := tree.New(Limits{})
	must(t, err)
	c := exec.CommandContext(t.Context(), "sleep", "120")
	must(t, c.Start())
	must(t, g.Add(c.Process.Pid))
	procs := filepath.Join(g.Dirs()[0], "cgroup.procs")
	ctx, ended := context.WithCancelCause(t.Context())
	go func() {
		_ = c.Wait()
		ended(os.WriteFile(procs, nil, 0o600))
	}()
	must(t, g.Kill())
	<-ctx.Done()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(g.Dirs()[0], "pids.max"))
	if err != nil || string(data) != "0" {
		t.Errorf("pids.max is %q, %v, want 0", data, err)
	}
	must(t, g.Remove())
}

// What is not named like a group of a worker that is over is left alone.
func TestRemoveStaleKeepsOthers(t *testing.T) {
	me, err := self()
	must(t, err)
	h := newFake(t, v1All()...)
	tree := find(h, h.mounts, h.groups, owner{me.namespace, workerPID, 7}, Options{})
	earlier := owner{me.namespace, me.pid, me.start - 1}
	over := exec.CommandContext(t.Context(), "true")
	must(t, over.Run())
	names := map[string]bool{ // whether it stays
		me.name(1):      true,
		earlier.name(1): false,
		owner{me.namespace, over.Process.Pid, 5}.name(3):     false,
		owner{me.namespace + 1, over.Process.Pid, 5}.name(3): true,
		"other":   true,
		"1-2-3":   true,
		"1-2-3-x": true,
	}
	for name := range names {
		for _, hi := range tree.hierarchies() {
			must(t, hi.make(name))
		}
	}
	must(t, tree.RemoveStale())
	for name, stays := range names {
		for _, hi := range tree.hierarchies() {
			if _, err := os.Stat(hi.dir(name)); (err == nil) != stays {
				t.Errorf("%s stays: want %v", name, stays)
			}
		}
	}
	must(t, tree.Close())
}

// elsewhere is a host where the directory of all groups is that of a worker with another account.
type elsewhere struct{ *fakeHost }

func (h elsewhere) Rmdir(path string) error {
	if filepath.Base(path) == parentName {
		return &fs.PathError{Op: "rmdir", Path: path, Err: syscall.EACCES}
	}
	return h.fakeHost.Rmdir(path)
}

// A worker that closes leaves what it may not remove to whoever made it.
func TestCloseLeavesTheDirectoryOfOthers(t *testing.T) {
	h := newFake(t, v1All()...)
	me, err := self()
	must(t, err)
	tree := find(elsewhere{h}, h.mounts, h.groups, owner{me.namespace, workerPID, 7}, Options{})
	must(t, tree.Close())
}
