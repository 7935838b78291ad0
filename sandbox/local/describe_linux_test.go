package local_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// TestCapabilityString checks that what stands in for a better mechanism says why.
func TestCapabilityString(t *testing.T) {
	for _, c := range []struct {
		capability local.Capability
		want       string
	}{
		{local.Capability{Name: "network", Mechanism: "network namespace"}, "network: network namespace"},
		{local.Capability{Name: "limit of cpus", Reason: "mount it"}, "limit of cpus: cannot: mount it"},
		{local.Capability{Name: "limit of memory", Mechanism: "RLIMIT_AS", Reason: "mount it"}, "limit of memory: RLIMIT_AS, no control group: mount it"},
	} {
		if got := c.capability.String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestDescribe checks that a backend says of itself what a probe of its options says, each limit with what holds it.
func TestDescribe(t *testing.T) {
	unisolated, err := local.Probe(t.Context(), local.Options{Launcher: local.Unisolated})
	if err != nil || len(unisolated.List) != 1 || !cmp.Equal(newBackend(t).Describe(), []string{unisolated.List[0].String()}) {
		t.Errorf("unisolated: %v, %v", unisolated, err)
	}
	if refused(t, local.Native) {
		return
	}
	b := newBackend(t, isolated, local.WithoutGroups, func(o *local.Options) { o.Limits = sandbox.Limits{CPUs: 1, Wall: 1e9, Memory: 1 << 30} })
	c, err := local.Probe(t.Context(), local.Options{Limits: sandbox.Limits{CPUs: 1, Wall: 1e9, Memory: 1 << 30}}.With(local.WithoutGroups))
	var want []string
	for _, one := range c.List {
		want = append(want, one.String())
	}
	if diff := cmp.Diff(want, b.Describe()); err != nil || diff != "" {
		t.Errorf("%v (-probe +backend):\n%s", err, diff)
	}
	for _, line := range []string{
		"limit of memory: RLIMIT_AS of each process", "limit of processes: RLIMIT_NPROC", "limit of cpus: RLIMIT_CPU of each process", "limit of disk: tmpfs size, and of the workspace a watch if a limit is asked for",
		"limit of file_size: RLIMIT_FSIZE", "limit of open_files: RLIMIT_NOFILE", "limit of wall: clock",
	} {
		if !slices.Contains(want, line) {
			t.Errorf("%q is not among %q", line, want)
		}
	}
}

// TestProbeTerminal checks that a sandbox that is only tried opens a terminal, as those of some commands do.
func TestProbeTerminal(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	if !local.Tries(newBackend(t, isolated)).Terminal {
		t.Error("it does not")
	}
}

// TestDescribeLandlock checks that a degraded launcher says so before all else, and what it does not do.
func TestDescribeLandlock(t *testing.T) {
	if refused(t, local.Landlock) {
		return
	}
	b := newBackend(t, confined, local.WithoutGroups)
	lines := b.Describe()
	if b.Isolation() != "landlock" || !strings.HasPrefix(lines[0], "isolation: degraded: no namespaces") {
		t.Errorf("%s: %q", b.Isolation(), lines)
	}
	for _, line := range []string{
		"end: the keeper ends the Landlock domain, also when the worker is killed, but not when it is killed itself",
		"limit of disk: watch of the workspace and of scratch directories, if a limit is asked for",
	} {
		if !slices.Contains(lines, line) {
			t.Errorf("%q is not among %q", line, lines)
		}
	}
}
