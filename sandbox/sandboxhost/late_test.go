package sandboxhost_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestMadeTooLate ends a session while its sandbox is being made, which is there only after what there was of it was
// removed. It is removed as well.
func TestMadeTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		making, removed := r.faults.Hold(sandboxtest.Create), r.faults.Hold(sandboxtest.Remove.After())
		answer := make(chan error)
		go func() {
			_, err := call[operation.SessionResult](r, owner, operation.Create, operation.CreateArgs{})
			answer <- err
		}()
		<-making.Reached()
		r.server.set(run{"run-1", "run-1", closed})
		<-removed.Reached() // when the host has asked about the owner
		making.Open()
		synctest.Wait()
		removed.Open()
		if err := <-answer; errorType(err) != operation.NotHere {
			t.Errorf("create: %v", err)
		}
		<-time.After(time.Second)
		r.nothingLeft()
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}
