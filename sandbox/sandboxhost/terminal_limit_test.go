package sandboxhost_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
)

// limited is a backend whose commands at terminals reach a limit with the first key.
type limited struct{ backend.Backend }

func (b limited) Create(ctx context.Context, spec backend.Spec) (backend.Sandbox, error) {
	box, err := b.Backend.Create(ctx, spec)
	return limitedBox{box}, err
}

type limitedBox struct{ backend.Sandbox }

func (limitedBox) OpenTerminal(context.Context, backend.Command, bool) (backend.Terminal, error) {
	return limitedTerminal{make(chan struct{})}, nil
}

type limitedTerminal struct{ over chan struct{} }

func (t limitedTerminal) Write(context.Context, []byte) error { close(t.over); return nil }
func (t limitedTerminal) Done() <-chan struct{}               { return t.over }
func (limitedTerminal) Kill()                                 {}
func (limitedTerminal) Result() (backend.Result, error) {
	return backend.Result{Reached: []backend.Limit{{Name: "wall", Value: "1m", Mechanism: "clock"}}}, backend.TimedOut()
}

// TestTerminalReached tells that the time of a command at a terminal is over, as that of any other, and logs the limit.
func TestTerminalReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zap.InfoLevel)
		r := newRig(t)
		r.host = r.newHost(limited{r.fake}, func(o *sandboxhost.Options) { o.Dir, o.Logger = filepath.Join(t.TempDir(), "own"), zap.New(core) })
		r.serve()
		state := r.create(sandbox.Manifest{})
		id, _ := r.opened(owner, state, "x")
		if _, err := r.press(owner, state, id, "x"); errorType(err) != "exec_timeout" || !final(err) {
			t.Errorf("typed: %v", err)
		}
		if _, err := r.press(owner, state, id, ""); errorType(err) != "pty_session_not_found" {
			t.Errorf("after the end: %v", err)
		}
		synctest.Wait() // what watches the command logs, not the call
		if said := logs.FilterField(zap.String("limit wall", "1m by clock")).Len(); said != 1 {
			t.Errorf("%d logs of the limit", said)
		}
		for _, stop := range []operation.Name{operation.Stop, operation.Delete} {
			if _, err := call[any](r, owner, stop, operation.StopArgs{State: state}); err != nil {
				t.Errorf("%s: %v", stop, err)
			}
		}
	})
}
