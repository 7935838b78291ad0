package local_test

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestHostile holds the launchers that isolate to the battery, each limit by itself: what is written to /tmp counts as
// memory, too. Where the kernel tells nobody of a limit, no result need name it.
func TestHostile(t *testing.T) {
	for _, l := range []local.Launcher{local.Native, local.Landlock} {
		t.Run(l.String(), func(t *testing.T) {
			if !refused(t, l) {
				hostile(t, l)
			}
		})
	}
}

func hostile(t *testing.T, l local.Launcher) {
	t.Helper()
	with := func(change func(*local.Options)) func(*testing.T) backend.Backend {
		return func(t *testing.T) backend.Backend {
			t.Helper()
			return newBackend(t, func(o *local.Options) { o.Launcher, o.Limits = l, sandbox.Limits{} }, change)
		}
	}
	hosts := map[string]func(*local.Options){"no groups": local.WithoutGroups}
	if os.Geteuid() == 0 { // an ordinary account may make no groups
		hosts["groups"] = func(*local.Options) {}
	}
	for name, change := range hosts {
		t.Run(name, func(t *testing.T) {
			bound := func(name string, unnamed bool, limits sandbox.Limits) sandboxtest.Bound {
				return sandboxtest.Bound{Name: name, Unnamed: unnamed, New: with(func(o *local.Options) { change(o); o.Limits = limits })}
			}
			alone := name != "groups"
			bounds := []sandboxtest.Bound{
				bound("memory", alone, sandbox.Limits{Memory: 128 << 20}),
				bound("processes", alone, sandbox.Limits{Processes: 64}),
				bound("file_size", false, sandbox.Limits{FileSize: 1 << 20}),
				bound("open_files", true, sandbox.Limits{OpenFiles: 64}),
			}
			if l != local.Landlock { // whose commands have no /tmp
				bounds = append(bounds, bound("disk", false, sandbox.Limits{Disk: 128 << 20}))
			}
			sandboxtest.Hostile{New: with(change), Local: true, Bounds: bounds, Degraded: degraded(l)}.Run(t)
		})
	}
}

// TestHostileUnisolated shows that the probes can find something: this launcher keeps nothing apart, and says so.
func TestHostileUnisolated(t *testing.T) {
	findings := sandboxtest.Hostile{
		New:        func(t *testing.T) backend.Backend { t.Helper(); return newBackend(t) },
		Local:      true,
		Unisolated: true,
	}.Run(t)
	for _, f := range findings {
		if f.Scored && f.Safe && mayAll(t) {
			t.Errorf("%s is safe from an account that may do everything: %s", f.Probe, f.Detail)
		}
		switch f.Probe {
		// What needs no isolation: variables are no arguments, a command ends with its time, output is not kept, and
		// the worker's own operations stay in the workspace, and a terminal is one.
		case "report-values-in-arguments", "report-background", "report-output", "report-way-up", "report-interrupt", "report-password":
			if !f.Safe {
				t.Errorf("%s: %s", f.Probe, f.Detail)
			}
		}
	}
}

// mayAll reports whether this process has all rights on the host: nothing is safe from it then.
func mayAll(t *testing.T) bool {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	ids, err := os.ReadFile("/proc/self/uid_map")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "CapEff:"); ok {
			rights, err := strconv.ParseUint(strings.TrimSpace(value), 16, 64)
			if err != nil {
				t.Fatal(err)
			}
			need := uint64(1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_SYS_PTRACE | 1<<unix.CAP_MKNOD | 1<<unix.CAP_NET_RAW)
			return rights&need == need && slices.Equal(strings.Fields(string(ids)), []string{"0", "0", "4294967295"})
		}
	}
	return false
}
