//go:build linux || darwin

package local

import (
	"context"
	"errors"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// TestEndWithoutWaiting checks that Stop and Delete return with their context, that the work goes on, and that the next
// call waits for it. A job that does not end holds it up.
func TestEndWithoutWaiting(t *testing.T) {
	for name, end := range map[string]func(*box, context.Context) error{"stop": (*box).Stop, "delete": (*box).Delete} {
		t.Run(name, func(t *testing.T) {
			b, s := newSandbox(t)
			_, done, err := s.beginJob(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			for range 2 {
				err := end(s, ended)
				var failure *backend.Error
				if !errors.Is(err, context.Canceled) || !errors.As(err, &failure) || failure.Code != backend.StopFailed || !failure.Retryable {
					t.Errorf("error %v", err)
				}
			}
			if err := s.Start(t.Context()); err == nil {
				t.Error("the sandbox was started while it ended")
			}
			result := make(chan error)
			go func() { result <- end(s, t.Context()) }()
			done()
			if err := <-result; err != nil {
				t.Errorf("waited: %v", err)
			}
			if left := names(t, b); name == "delete" && len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// TestCloseWhileDeleting checks that Close waits for what removes a sandbox and that nothing is removed after it.
func TestCloseWhileDeleting(t *testing.T) {
	b, s := newSandbox(t)
	_, done, err := s.beginJob(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Delete(ended); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	closed := make(chan error)
	go func() { closed <- b.Close() }()
	<-b.life.Done()
	done()
	if err := <-closed; err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	deleting := s.deleting
	s.mu.Unlock()
	if deleting != nil {
		t.Error("the sandbox is still being removed")
	}
	if err := s.Delete(t.Context()); !errors.Is(err, errClosed) {
		t.Errorf("delete: %v", err)
	}
	if left := names(t, b); len(left) != 1 {
		t.Errorf("there is %v", left)
	}
}

// TestStaleDelete checks that deleting again does nothing to a sandbox that got the id since.
func TestStaleDelete(t *testing.T) {
	b, s := newSandbox(t)
	if err := s.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Create(t.Context(), backend.Spec{ID: someID}); err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	if there := names(t, b); len(there) != 1 {
		t.Errorf("there is %v", there)
	}
}
