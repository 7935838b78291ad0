package local

import (
	"context"
	"fmt"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Stop ends all processes. If the context ends first the error wraps its own; the processes are still ended then, and
// the next Stop waits for that.
func (s *box) Stop(ctx context.Context) error {
	return s.end().wait(ctx, "the processes of the sandbox are still being ended: stop it again")
}

// Delete ends all processes and removes the sandbox. If the context ends first the error wraps its own; the sandbox is
// still removed then, and the next Delete waits for that.
func (s *box) Delete(ctx context.Context) error {
	return s.delete().wait(ctx, "the sandbox is still being removed: delete it again")
}

// task is what goes on when those who asked for it do not wait any more.
type task struct {
	done chan struct{}
	err  error // once done is closed
}

// wait waits for the end of the task, or of the context.
func (t *task) wait(ctx context.Context, otherwise string) error {
	select {
	case <-t.done:
		return t.err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", failed(backend.StopFailed, otherwise), ctx.Err())
	}
}

// end begins to end what runs, unless that is under way.
func (s *box) end() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending != nil {
		return s.ending
	}
	old, t := s.life, &task{done: make(chan struct{})}
	s.life, s.running, s.ending = nil, false, t
	go func() {
		defer close(t.done)
		old.end()
		old.jobs.Wait()
		if s.backend.endLeftoversOf(s.id) != nil {
			t.err = failed(backend.StopFailed, "a process of the sandbox could not be ended")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.life, s.ending = newLife(), nil
	}()
	return t
}

// endFor begins to end what runs, and refuses all that comes.
func (s *box) endFor(reason error) *task {
	s.mu.Lock()
	s.gone = reason
	s.mu.Unlock()
	return s.end()
}

// delete begins to delete the sandbox, unless that is under way. It goes on until the backend is closed.
func (s *box) delete() *task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.deleting != nil {
		return s.deleting
	}
	t := &task{done: make(chan struct{})}
	if s.backend.life.Err() != nil {
		t.err = errClosed // the directory may be another's by now
		close(t.done)
		return t
	}
	s.gone, s.deleting = errRoot, t
	go func() {
		defer close(t.done)
		ended := s.end()
		<-ended.done
		switch {
		case ended.err != nil:
			t.err = failed(backend.StopFailed, "a process of the sandbox could not be ended, so it was not removed")
		case s.backend.remove(s.backend.life, s) != nil:
			t.err = failed(backend.StopFailed, "the directory of the sandbox could not be removed to its end: delete the sandbox again")
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.deleting = nil
	}()
	return t
}

// close ends what runs and what removes the sandbox, and waits for both. Leftovers are left to the caller.
func (s *box) close() {
	<-s.endFor(errClosed).done
	s.mu.Lock()
	t := s.deleting
	s.mu.Unlock()
	if t != nil {
		<-t.done
	}
}

// isGone reports whether the sandbox can only be deleted.
func (s *box) isGone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gone != nil
}
