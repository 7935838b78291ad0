package sandboxhost_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// rotation is a session that was given a value, which stands in its workspace and was rotated since then.
type rotation struct {
	*rig
	state    sandbox.SessionState
	who      who
	old, new string
	guard    *binder
}

func newRotation(t *testing.T, change ...func(*sandboxhost.Options)) *rotation {
	t.Helper()
	o := &rotation{rig: newRig(t, change...), who: owner, old: secretstest.Canary(t), new: secretstest.Canary(t)}
	o.state = o.create(withToken())
	o.guard = newBinder(t, map[string]string{"env:PROD_TOKEN": o.old})
	o.who.binder = o.guard
	if _, err := o.exec(o.who, o.state, "true"); err != nil {
		t.Fatal(err)
	}
	if _, err := call[any](o.rig, o.who, operation.Write, operation.WriteArgs{State: o.state, Path: "f", Data: []byte(o.old)}); err != nil {
		t.Fatal(err)
	}
	return o
}

// goesOn has another process of the host go on, with a guard that knows one value alone.
func (o *rotation) goesOn(value string) {
	o.tb.Helper()
	o.restart()
	o.guard = newBinder(o.tb, map[string]string{"env:PROD_TOKEN": value})
	o.who.binder = o.guard
}

func (o *rotation) read() (string, error) {
	out, err := call[operation.DataResult](o.rig, o.who, operation.Read, operation.ReadArgs{State: o.state, Path: "f"})
	return string(out.Data), err
}

// TestRotated puts nothing out of a session whose provider has no versions and returns another value than the one it
// was given, which may be anywhere in the workspace. What does not put anything out goes on.
func TestRotated(t *testing.T) {
	o := newRotation(t)
	o.goesOn(o.new)
	before := len(o.fake.Effects())
	for name, args := range map[operation.Name]any{
		operation.Exec:    operation.ExecArgs{State: o.state, Command: []string{"cat f"}},
		operation.Read:    operation.ReadArgs{State: o.state, Path: "f"},
		operation.Persist: operation.StateArgs{State: o.state},
	} {
		_, err := call[any](o.rig, o.who, name, args)
		if errorType(err) != operation.OutputWithheld || !final(err) || !strings.Contains(err.Error(), "env:PROD_TOKEN") || !strings.Contains(err.Error(), "delete the session") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := o.fake.Effects()[before:]; len(got) > 0 {
		t.Errorf("effects %q", got)
	}
	if _, err := call[any](o.rig, o.who, operation.Hydrate, operation.HydrateArgs{State: o.state, Data: make([]byte, 1024)}); err != nil {
		t.Errorf("hydrate: %v", err)
	}
	if _, err := call[any](o.rig, o.who, operation.Write, operation.WriteArgs{State: o.state, Path: "g", Data: []byte("x")}); err != nil {
		t.Errorf("write: %v", err)
	}
	for _, name := range []operation.Name{operation.Running, operation.Start, operation.Stop, operation.Shut, operation.Delete} {
		if _, err := call[any](o.rig, o.who, name, operation.StateArgs{State: o.state}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	o.nothingLeft()
}

// TestRotatedBack goes on when the earlier value is back, and hides both after that: a command that was refused was not
// given the new one.
func TestRotatedBack(t *testing.T) {
	o := newRotation(t)
	o.goesOn(o.new)
	if _, err := o.exec(o.who, o.state, "true"); errorType(err) != operation.OutputWithheld {
		t.Errorf("exec: %v", err)
	}
	o.goesOn(o.old)
	if got, err := o.read(); err != nil || got != "[redacted:env:PROD_TOKEN]" {
		t.Errorf("read: %q, %v", got, err)
	}
	o.guard.put("env:PROD_TOKEN", o.new)
	if out, err := o.exec(o.who, o.state, "cat f ; printenv TOKEN"); err != nil || strings.Count(string(out.Stdout), "[redacted:env:PROD_TOKEN]") != 2 {
		t.Errorf("exec: %q, %v", out.Stdout, err)
	}

	// Of two values that were given each must be seen once.
	o.goesOn(o.new)
	if got, err := o.read(); errorType(err) != operation.OutputWithheld {
		t.Errorf("read: %q, %v", got, err)
	}
	o.guard.put("env:PROD_TOKEN", o.old)
	if got, err := o.read(); err != nil || got != "[redacted:env:PROD_TOKEN]" {
		t.Errorf("read: %q, %v", got, err)
	}
}

// TestRotatedLongAgo goes on hiding an earlier value in a process that has given it, without asking for it again, for
// longer than the guard by itself would.
func TestRotatedLongAgo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newRotation(t, func(o *sandboxhost.Options) { o.IdleTimeout, o.MaxLifetime = 72*time.Hour, 72*time.Hour })
		o.guard.put("env:PROD_TOKEN", o.new)
		o.guard.holder.End() // with the attempt
		o.guard.holder = o.guard.holder.Set().NewHolder()
		o.guard.did()
		<-time.After(2 * redact.Retention)
		if got, err := o.read(); err != nil || got != "[redacted]" {
			t.Errorf("read: %q, %v", got, err)
		}
		if got := o.guard.did(); got != "" {
			t.Errorf("asked for %q", got)
		}
		if err := o.stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestRotatedWithoutKey cannot tell what the values were that a session was given.
func TestRotatedWithoutKey(t *testing.T) {
	o := newRotation(t, func(o *sandboxhost.Options) { o.KeepOnStop = true })
	if err := o.stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(o.dir, "key")); err != nil {
		t.Fatal(err)
	}
	o.goesOn(o.old)
	if got, err := o.read(); errorType(err) != operation.OutputWithheld {
		t.Errorf("read: %q, %v", got, err)
	}
}
