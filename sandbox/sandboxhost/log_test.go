package sandboxhost_test

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
)

// described is a backend that says how it isolates, and of each command that a namespace ended and what it reached.
type described struct {
	backend.Backend
	reached []backend.Limit
}

func (described) Describe() []string { return []string{"limit of memory: RLIMIT_AS"} }

func (b described) Create(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	box, err := b.Backend.Create(ctx, spec)
	return describedBox{box, b.reached}, err
}

type describedBox struct {
	backend.Sandbox
	reached []backend.Limit
}

func (b describedBox) Exec(ctx context.Context, cmd backend.Command) (backend.Result, error) {
	r, err := b.Sandbox.Exec(ctx, cmd)
	r.Emptied, r.Reached = "pid namespace ended", b.reached
	return r, err
}

func (b describedBox) OpenTerminal(ctx context.Context, cmd backend.Command, tty bool) (backend.Terminal, error) {
	return b.Sandbox.(backend.Terminals).OpenTerminal(ctx, cmd, tty)
}

// TestLog checks what the host logs of its backend, and of each command when it is over: of one at a terminal, too, and
// not before that.
func TestLog(t *testing.T) {
	for name, c := range map[string]struct {
		reached []backend.Limit
		want    map[string]any
		level   string
	}{
		"ended by itself": {nil, map[string]any{"emptied": "pid namespace ended"}, "debug"},
		"reached a limit": {
			[]backend.Limit{{Name: "memory", Value: "1GiB", Mechanism: "RLIMIT_AS"}},
			map[string]any{"emptied": "pid namespace ended", "limit memory": "1GiB by RLIMIT_AS"},
			"info",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				core, logs := observer.New(zap.DebugLevel)
				r.host = r.newHost(described{r.fake, c.reached}, func(o *sandboxhost.Options) {
					o.Dir, o.Logger = filepath.Join(t.TempDir(), "own"), zap.New(core)
				})
				r.serve()
				synctest.Wait()
				runs := logs.FilterMessage("sandbox host runs").All()
				if len(runs) != 1 || !cmp.Equal(runs[0].ContextMap()["mechanisms"], []any{"limit of memory: RLIMIT_AS"}) {
					t.Errorf("said %v of the backend", runs)
				}
				ended := func() []observer.LoggedEntry {
					synctest.Wait()
					defer logs.TakeAll()
					return logs.FilterMessage("command ended").All()
				}
				state := r.create(sandbox.Manifest{})
				if _, err := r.exec(owner, state, "true"); err != nil {
					t.Fatal(err)
				}
				c.want["session"] = state.SessionID
				if said := ended(); len(said) != 1 || said[0].Level.String() != c.level || !cmp.Equal(said[0].ContextMap(), c.want) {
					t.Errorf("said %v of a command", said)
				}
				r.opened(owner, state, "wait")
				if said := ended(); len(said) != 0 {
					t.Errorf("said %v of a command that runs", said)
				}
				if err := r.stop(); err != nil {
					t.Error(err)
				}
				if said := ended(); len(said) != 1 || said[0].ContextMap()["session"] != state.SessionID {
					t.Errorf("said %v of a command at a terminal", said)
				}
			})
		})
	}
}

// TestUnguarded checks that the worker's log says once that operations come without the guard, in whose absence no policy
// is in force for them.
func TestUnguarded(t *testing.T) {
	r := newRig(t)
	var out bytes.Buffer
	w := owner
	w.log = slog.NewTextHandler(&out, nil)
	said := func() int {
		return strings.Count(out.String(), "level=WARN msg=\"sandbox operations come to this worker without the guard: ")
	}
	for i, c := range []struct {
		guarded bool
		want    int
	}{{true, 0}, {false, 1}, {false, 1}, {true, 1}} {
		w.binder = nil
		if c.guarded {
			w.binder = newBinder(t, nil)
		}
		if _, err := call[operation.SessionResult](r, w, operation.Create, operation.CreateArgs{}); err != nil {
			t.Fatal(err)
		}
		if got := said(); got != c.want {
			t.Errorf("after %d operations it said so %d times, want %d:\n%s", i+1, got, c.want, out.String())
		}
	}
	if !strings.Contains(out.String(), " provider="+provider) {
		t.Errorf("the provider is not named:\n%s", out.String())
	}
}
