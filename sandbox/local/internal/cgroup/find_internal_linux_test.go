package cgroup

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var worker = owner{namespace: 1, pid: workerPID, start: 7}

const all = "cpu memory pids"

var hosts = []struct {
	name      string
	have      []made
	delegated []string
	options   Options
	want      map[Limit]string // the mechanism, or the reason after "!"
	moved     string           // the group that the worker is put into
}{
	{
		name:      "version 2, delegated with a subgroup for the worker",
		have:      []made{{group: "/system.slice/w.service/worker", has: all}},
		delegated: []string{"/w.service"},
		want:      everythingV2,
	},
	{
		name:      "version 2, delegated, the worker in the group itself",
		have:      []made{{group: "/system.slice/w.service", has: all}},
		delegated: []string{"/w.service"},
		want:      only(occupied, Kill, "cgroup v2 cgroup.kill"),
	},
	{
		name:      "version 2, delegated, the worker may move",
		have:      []made{{group: "/system.slice/w.service", has: all}},
		delegated: []string{"/w.service"},
		options:   Options{MoveSelf: true},
		want:      everythingV2,
		moved:     "/system.slice/w.service/sandboxguard-worker",
	},
	{
		name:      "version 2, delegated, the worker has moved before",
		have:      []made{{group: "/system.slice/w.service/sandboxguard-worker", has: all}},
		delegated: []string{"/w.service"},
		want:      everythingV2,
	},
	{
		name: "version 2, a container's top, the worker has moved before",
		have: []made{{group: "/sandboxguard-worker", has: all, inner: true}},
		want: everythingV2,
	},
	{
		name:    "version 2, a container's top, the worker may move",
		have:    []made{{group: "/", has: all, inner: true}},
		options: Options{MoveSelf: true},
		want:    everythingV2,
		moved:   "/sandboxguard-worker",
	},
	{
		name:      "version 2, delegated, the worker may move but others are there",
		have:      []made{{group: "/system.slice/w.service", has: all, members: "4242\n99"}},
		delegated: []string{"/w.service"},
		options:   Options{MoveSelf: true},
		want:      only(occupied, Kill, "cgroup v2 cgroup.kill"),
	},
	{
		name:    "version 2, a service that was not delegated",
		have:    []made{{group: "/system.slice/w.service", has: all}},
		options: Options{MoveSelf: true},
		want:    only(managed),
	},
	{
		name: "version 2, a user's session",
		have: []made{{group: "/user/worker", has: all, refuse: syscall.EACCES}},
		want: only(forbidden),
	},
	{
		name: "version 2, a group that the worker may not leave",
		have: []made{{group: "/user/worker", locked: true}},
		want: only(forbidden),
	},
	{
		name: "version 2, the root",
		have: []made{{group: "/", has: all}},
		want: everythingV2,
	},
	{
		name: "version 2, a container's top",
		have: []made{{group: "/", has: all, inner: true}},
		want: only(occupied, Kill, "cgroup v2 cgroup.kill"),
	},
	{
		name: "version 2 without controllers",
		have: []made{{group: "/"}},
		want: only(noController, Kill, "cgroup v2 cgroup.kill"),
	},
	{
		name: "version 2 without cgroup.kill",
		have: []made{{group: "/", has: all, noKill: true}},
		want: with(everythingV2, Kill, "cgroup v2 pids.max 0 and signals"),
	},
	{
		name: "version 2 with neither",
		have: []made{{group: "/", noKill: true}},
		want: with(only(noController), Kill, "!"+string(noKill)),
	},
	{
		name: "version 2, threaded",
		have: []made{{group: "/", has: all, threads: true}},
		want: only(threaded),
	},
	{
		name: "version 2, read-only",
		have: []made{{group: "/", has: all, refuse: syscall.EROFS}},
		want: only(readOnly),
	},
	{
		name: "version 2, seen from outside of its mount",
		have: []made{{group: "/../other", has: all, mountedAs: "/../other"}},
		want: only(noMount),
	},
	{
		name: "version 2, another group is mounted where the worker's should be",
		have: []made{{group: "/", has: all, members: "17"}},
		want: only(noMount),
	},
	{
		name: "version 1",
		have: []made{{controllers: "memory", group: "/w"}, {controllers: "pids", group: "/"}, {controllers: "cpu,cpuacct", group: "/w"}},
		want: everythingV1,
	},
	{
		name: "version 1, a container that sees its part",
		have: []made{{controllers: "memory", group: "/docker/a/w", mountedAs: "/docker/a"}},
		want: with(with(only(noController), Memory, "cgroup v1 memory.limit_in_bytes"), Kill, "!"+string(noKill)),
	},
	{
		name: "version 1, one controller read-only and one with cpuset",
		have: []made{{controllers: "memory", group: "/", refuse: syscall.EROFS}, {controllers: "pids", group: "/"}, {controllers: "cpu,cpuset", group: "/"}},
		want: map[Limit]string{
			Memory: "!" + string(readOnly), CPUs: "!" + string(withCPUSet),
			Processes: "cgroup v1 pids.max", Kill: "cgroup v1 pids.max 0 and signals",
		},
	},
	{
		name: "both, version 2 for killing",
		have: []made{{controllers: "pids", group: "/"}, {controllers: "memory", group: "/w"}, {controllers: "cpu", group: "/"}, {group: "/"}},
		want: with(everythingV1, Kill, "cgroup v2 cgroup.kill"),
	},
	{
		name: "both, memory in version 2",
		have: []made{{controllers: "pids", group: "/"}, {group: "/", has: "memory"}},
		want: map[Limit]string{
			Memory: "cgroup v2 memory.max", CPUs: "!" + string(noController),
			Processes: "cgroup v1 pids.max", Kill: "cgroup v2 cgroup.kill",
		},
	},
	{
		name: "version 1 read-only, version 2 not mounted",
		have: []made{{controllers: "memory", group: "/", refuse: syscall.EROFS}, {group: "/", unmounted: true}},
		want: with(only(noMount), Memory, "!"+string(readOnly)),
	},
	{
		name: "none",
		want: with(only(noController), Kill, "!"+string(noKill)),
	},
}

var everythingV2 = map[Limit]string{
	Memory: "cgroup v2 memory.max", Processes: "cgroup v2 pids.max", CPUs: "cgroup v2 cpu.max", Kill: "cgroup v2 cgroup.kill",
}

var everythingV1 = map[Limit]string{
	Memory: "cgroup v1 memory.limit_in_bytes", Processes: "cgroup v1 pids.max",
	CPUs: "cgroup v1 cpu.cfs_quota_us", Kill: "cgroup v1 pids.max 0 and signals",
}

// only is one reason for everything but for what is named.
func only(r refusal, but ...any) map[Limit]string {
	m := map[Limit]string{}
	for _, what := range limits {
		m[what] = "!" + string(r)
	}
	for pair := range slices.Chunk(but, 2) {
		m[pair[0].(Limit)] = pair[1].(string)
	}
	return m
}

func with(m map[Limit]string, what Limit, is string) map[Limit]string {
	n := map[Limit]string{what: is}
	for k, v := range m {
		if k != what {
			n[k] = v
		}
	}
	return n
}

func said(s Support) map[Limit]string {
	m := map[Limit]string{}
	for what, means := range s {
		m[what] = means.Mechanism
		if means.Reason != "" {
			m[what] += "!" + means.Reason
		}
	}
	return m
}

func TestFindSaysWhatAHostHas(t *testing.T) {
	for _, tt := range hosts {
		t.Run(tt.name, func(t *testing.T) {
			h := newFake(t, tt.have...)
			h.delegated = tt.delegated
			before := h.groupsBelow(t)
			if tt.moved != "" {
				before = append(before, tt.moved)
				slices.Sort(before)
			}
			tree := find(h, h.mounts, h.groups, worker, tt.options)
			if d := cmp.Diff(tt.want, said(tree.Support())); d != "" {
				t.Errorf("support (-want +got):\n%s", d)
			}
			if d := cmp.Diff(before, h.groupsBelow(t)); d != "" {
				t.Errorf("groups that were there before and after (-before +after):\n%s", d)
			}
			checkUse(t, h, tree, before)
		})
	}
}

// checkUse sets what the host has, and is refused what it has not with the reason.
func checkUse(t *testing.T, h *fakeHost, tree *Tree, before []string) {
	t.Helper()
	for what, l := range map[Limit]Limits{Memory: {Memory: 1 << 26}, Processes: {Processes: 20}, CPUs: {CPUs: 1.5}} {
		g, err := tree.New(l)
		support := tree.Support()
		missing := support[what].Reason
		if support[Kill].Reason != "" {
			missing = support[Kill].Reason
		}
		if missing != "" {
			if err == nil || !strings.Contains(err.Error(), missing) {
				t.Errorf("%s: got %v, want the reason %q", what, err, missing)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if _, ok := g.FD(); ok != (len(g.in) == 1 && g.in[0].v2) {
			t.Errorf("%s: a descriptor: %v, in %d hierarchies", what, ok, len(g.in))
		}
		must(t, g.Kill())
		must(t, g.Remove())
		must(t, tree.Close())
	}
	if d := cmp.Diff(before, h.groupsBelow(t)); d != "" {
		t.Errorf("groups that were there before and after use (-before +after):\n%s", d)
	}
}
