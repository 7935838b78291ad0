package sandboxhost_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// TestKept hides what a session was given for as long as the session is there, although the guard forgets values that no
// attempt has any more: at the end of a lease, or if there are too many. When the session is over it may.
func TestKept(t *testing.T) {
	for forgets, forget := range map[string]func(*redact.Set){
		"lease over": func(s *redact.Set) {
			s.Now = func() time.Time { return time.Now().Add(2 * redact.Retention) }
			s.Sweep()
		},
		"too many": func(s *redact.Set) {
			s.MaxRetained = 1
			others := s.NewHolder()
			for i := range 3 {
				if err := others.AddLeased("other", fmt.Sprint("another value ", i), time.Now().Add(2*redact.Retention)); err != nil {
					t.Fatal(err)
				}
			}
			others.End()
		},
	} {
		for ends, end := range map[string]func(*rotation) error{
			"deleted": func(o *rotation) error {
				_, err := call[any](o.rig, o.who, operation.Delete, operation.StopArgs{State: o.state})
				return err
			},
			"host stopped": func(o *rotation) error { return o.stop() },
		} {
			t.Run(forgets+", "+ends, func(t *testing.T) {
				o := newRotation(t, func(o *sandboxhost.Options) { o.KeepOnStop = true })
				o.guard.holder.End() // with the attempt
				set := o.guard.holder.Set()
				o.guard.holder = set.NewHolder()
				forget(set)
				if got, err := o.read(); err != nil || got != "[redacted]" {
					t.Errorf("read: %q, %v", got, err)
				}
				if err := end(o); err != nil {
					t.Fatal(err)
				}
				set.Now = func() time.Time { return time.Now().Add(4 * redact.Retention) }
				set.Sweep()
				if set.ContainsString(o.old) {
					t.Error("the value is kept after the end")
				}
			})
		}
	}
}

// TestAnotherGuard has each guard hide what a session was given, also one that did not give it.
func TestAnotherGuard(t *testing.T) {
	o := newRotation(t)
	o.who.binder = newBinder(t, map[string]string{"env:PROD_TOKEN": o.old})
	if got, err := o.read(); err != nil || got != "[redacted:env:PROD_TOKEN]" {
		t.Errorf("read: %q, %v", got, err)
	}
	o.who.binder = newBinder(t, map[string]string{"env:PROD_TOKEN": o.new})
	if got, err := o.read(); errorType(err) != operation.OutputWithheld {
		t.Errorf("read where another value is known: %q, %v", got, err)
	}
}
