package sandboxhost

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// endAgain ends a session that may have ended before.
func (s *session) endAgain(ctx context.Context) {
	s.mu.Lock()
	s.life, s.late = ending, true
	s.mu.Unlock()
	s.h.mu.Lock()
	s.h.sessions[s.id] = s
	s.h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.h.options.StopTimeout)
	defer cancel()
	if err := s.end(ctx, "it was made too late"); err != nil && !errors.Is(err, errSuperseded) {
		s.h.options.Logger.Error("session not removed, it is tried again", logged(s.id, err)...)
	}
}

// end removes the sandbox and then the record, unless another host has the session. It may be called again if it failed,
// and does nothing after it succeeded. It waits no longer than ctx lasts, whatever the backend does: the removal goes on
// then, and nobody begins another one.
func (s *session) end(ctx context.Context, why string) error {
	s.mu.Lock()
	if s.life != gone {
		s.life = ending
	}
	s.mu.Unlock()
	if s.removal.lock(ctx) != nil {
		return errSlow // somebody is at it
	}
	s.mu.Lock()
	over := s.life == gone
	s.removing, s.late = !over, false
	s.mu.Unlock()
	if over || !s.h.tenure.hold() {
		s.removal.unlock()
		if over {
			return nil
		}
		return errSuperseded // perhaps not yet
	}
	return within(ctx, func() error {
		defer s.h.tenure.done()
		defer s.removal.unlock()
		return s.remove(ctx, why)
	})
}

// remove does what end does. s.removal is held.
func (s *session) remove(ctx context.Context, why string) error {
	err := s.removeAll(ctx)
	if errors.Is(err, errSuperseded) {
		s.lose(ctx)
	}
	s.mu.Lock()
	s.removing = false
	late := s.late
	if err == nil && !late {
		s.box, s.life = nil, gone
		s.rec = lastOf(s.rec)
	}
	s.watch.end = time.Now().Add(s.h.options.PollInterval)
	s.mu.Unlock()
	if err != nil || late { // who made it too late, or the watch, ends it once more
		s.h.wake()
		return err
	}
	s.h.forget(s, true)
	s.h.options.Logger.Info("session ended", zap.String("session", s.id), zap.String("why", why))
	return nil
}

// removeAll removes nothing that another host has, also if it took the session over while the backend was at it.
func (s *session) removeAll(ctx context.Context) error {
	if err := s.unclaimed(); err != nil {
		return err
	}
	s.mu.Lock()
	box := s.box
	s.mu.Unlock()
	var err error
	if box != nil {
		err = box.Delete(ctx)
	} else {
		err = s.h.backend.Delete(ctx, s.id)
	}
	if err == nil {
		err = s.unclaimed()
	}
	if err != nil {
		return err
	}
	s.noteEnd()
	return s.h.store.remove(s.id)
}

// unclaimed returns an error if another host has claimed the session, or if that cannot be found out.
func (s *session) unclaimed() error {
	s.mu.Lock()
	own := s.rec.Epoch
	s.mu.Unlock()
	epoch, err := s.h.store.epoch(s.id)
	if err == nil && epoch > own {
		err = errSuperseded
	}
	return err
}

// errSlow is returned for what a backend does not end in time.
var errSlow = &backend.Error{Code: backend.StopFailed, Retryable: true, Message: "the sandbox takes longer to end than it may: it goes on, and is looked at again"}

// inTime waits for the end of something no longer than Options.StopTimeout.
func (h *Host) inTime(ctx context.Context, do func(context.Context) error) error {
	short, cancel := context.WithTimeout(ctx, h.options.StopTimeout)
	defer cancel()
	err := do(short)
	if errors.Is(err, errSlow) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// within waits for a backend no longer than ctx lasts. One that does not heed its context goes on.
func within(ctx context.Context, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done: // at the same time
		return err
	default:
		return errSlow
	}
}
