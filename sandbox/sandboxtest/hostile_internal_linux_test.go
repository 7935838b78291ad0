package sandboxtest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// realBackend is a backend that runs real commands.
func realBackend(t *testing.T) backend.Backend {
	t.Helper()
	b, err := local.New(local.Options{Dir: filepath.Join(t.TempDir(), "sandboxes"), Launcher: local.Unisolated})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return b
}

// limiting sets limits for the commands of a backend, and may tell of them.
type limiting struct {
	backend.Backend
	set     string // the script that sets them; changed between commands
	reached []backend.Limit
}

func (l *limiting) Create(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	s, err := l.Backend.Create(ctx, spec)
	return limitedBox{s, l}, err
}

type limitedBox struct {
	backend.Sandbox
	*limiting
}

func (l limitedBox) Delete(ctx context.Context) error { return l.Sandbox.Delete(ctx) }

func (l limitedBox) Exec(ctx context.Context, cmd backend.Command) (backend.Result, error) {
	cmd.Args = append([]string{"sh", "-c", l.set + `; exec "$@"`, "sh"}, cmd.Args...)
	result, err := l.Sandbox.Exec(ctx, cmd)
	result.Reached = l.reached
	return result, err
}

// TestBounds tells limits that stop a command from none, and those that are named from those that are not.
func TestBounds(t *testing.T) {
	l := &limiting{Backend: realBackend(t)}
	b := Hostile{New: func(*testing.T) backend.Backend { return l }}.battery(t)
	const none = ":"
	named := func(name string) []backend.Limit {
		return []backend.Limit{{Name: name, Value: "little", Mechanism: "ulimit"}}
	}
	for _, c := range []struct {
		name    string
		bound   Bound
		set     string
		reached []backend.Limit
		safe    bool
	}{
		{name: "no limit", bound: Bound{Name: "open_files"}, set: none},
		{name: "no limit, which need not be named", bound: Bound{Name: "open_files", Unnamed: true}, set: none},
		{name: "no limit, but named", bound: Bound{Name: "open_files"}, set: none, reached: named("open_files")},
		{name: "not named", bound: Bound{Name: "open_files"}, set: "ulimit -n 64"},
		{name: "need not be named", bound: Bound{Name: "open_files", Unnamed: true}, set: "ulimit -n 64", safe: true},
		{name: "another named", bound: Bound{Name: "open_files"}, set: "ulimit -n 64", reached: named("disk")},
		{name: "named", bound: Bound{Name: "open_files"}, set: "ulimit -n 64", reached: named("open_files"), safe: true},
		{name: "no limit of memory", bound: Bound{Name: "memory"}, set: none, reached: named("memory")},
		{name: "memory", bound: Bound{Name: "memory"}, set: "ulimit -v 65536", reached: named("memory"), safe: true},
		{name: "no limit of file size", bound: Bound{Name: "file_size"}, set: none, reached: named("file_size")},
		{name: "file size", bound: Bound{Name: "file_size"}, set: "ulimit -f 2048", reached: named("file_size"), safe: true},
		{name: "no limit of processes", bound: Bound{Name: "processes"}, set: none, reached: named("processes")},
		{name: "no limit of disk", bound: Bound{Name: "disk"}, set: none, reached: named("disk")},
		{name: "a backend of its own", bound: Bound{Name: "open_files", New: func(*testing.T) backend.Backend {
			return &limiting{Backend: l.Backend, set: "ulimit -n 64", reached: named("open_files")}
		}}, set: none, safe: true},
		{name: "no such limit", bound: Bound{Name: "luck", Unnamed: true}, set: none},
	} {
		t.Run(c.name, func(t *testing.T) {
			l.set, l.reached = c.set, c.reached
			if r := b.check(t, b.bound(c.bound)); r.IsSafe() != c.safe {
				t.Errorf("safe %v: %s", r.IsSafe(), r.Detail)
			}
		})
	}
}

// TestSeen: a value in arguments can be seen by everybody, one in an environment cannot.
func TestSeen(t *testing.T) {
	task := canaries(t) // there is a process with the canary in both
	if got := seen(task.Canary); !slices.Equal(got, []string{"the cmdline of a process on the host"}) {
		t.Errorf("seen: %q", got)
	}
	if got := accounts(task.Canary); !slices.Equal(got, []int{os.Getuid()}) {
		t.Errorf("accounts: %d", got)
	}
	if got := seen(task.Token); got != nil {
		t.Errorf("what no process has is seen: %q", got)
	}
	if got := accounts(task.Token); got != nil {
		t.Errorf("accounts of no process: %d", got)
	}
}
