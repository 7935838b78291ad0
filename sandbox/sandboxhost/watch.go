package sandboxhost

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// endings and questions that go on at a time.
const parallel = 8

// nextPoll is when the server is asked again about an owner: not about all sessions at the same time.
func (h *Host) nextPoll(now time.Time) time.Time {
	most := h.options.PollInterval
	return now.Add(most/2 + rand.N(most/2+1)) //nolint:gosec // spreads load, guards nothing
}

// askSoon has the server asked about the owner now.
func (s *session) askSoon() {
	s.mu.Lock()
	s.watch.poll = time.Now()
	s.mu.Unlock()
	s.h.wake()
}

// watchOver ends sessions that are due, and asks whether owners still run, until ctx ends. It returns when nothing of
// that goes on any more.
func (h *Host) watchOver(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	limit := make(chan struct{}, parallel)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-h.kick:
		}
		now := time.Now()
		next := now.Add(h.options.PollInterval)
		for _, s := range h.all() {
			job, at := s.due(now)
			if job == nil {
				if at.Before(next) {
					next = at
				}
				continue
			}
			work.Go(func() {
				limit <- struct{}{}
				defer func() { <-limit }()
				job(ctx)
				s.mu.Lock()
				s.watch.busy = false
				s.mu.Unlock()
				h.wake()
			})
		}
		timer.Reset(next.Sub(now))
	}
}

// due returns what is to be done about a session now, or nil and when to look again.
func (s *session) due(now time.Time) (job func(context.Context), next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.h.options
	died, idle := s.rec.Created.Add(o.MaxLifetime), s.rec.Used.Add(o.IdleTimeout)
	if s.inUse > 0 {
		idle = died
	}
	why := ""
	switch {
	case s.watch.busy, s.life == letGo, s.life == gone:
		return nil, now.Add(o.PollInterval)
	case s.life == ending:
		if now.Before(s.watch.end) {
			return nil, s.watch.end
		}
		why = "it could not be removed before"
	case !now.Before(died):
		why = "it is as old as a session may be"
	case !now.Before(idle):
		why = "nothing used it for too long"
	case !now.Before(s.watch.poll):
		s.watch.busy, s.watch.poll = true, s.h.nextPoll(now)
		return s.ask, time.Time{}
	default:
		next = idle
		for _, t := range []time.Time{died, s.watch.poll} {
			if t.Before(next) {
				next = t
			}
		}
		return nil, next
	}
	s.watch.busy = true
	return func(ctx context.Context) { s.endDue(ctx, why) }, time.Time{}
}

// ask ends the session if its owner has ended. A server that does not answer ends nothing; the deadlines hold.
func (s *session) ask(ctx context.Context) {
	if errors.Is(s.mine(ctx), errSuperseded) {
		return
	}
	s.mu.Lock()
	r := s.rec
	s.mu.Unlock()
	owner, err := s.h.chain(ctx, r.Namespace, r.WorkflowID, "")
	if err != nil || owner.open && owner.first == r.FirstRun {
		return
	}
	s.endDue(ctx, "its owner has ended")
}

func (s *session) endDue(ctx context.Context, why string) {
	if errors.Is(s.mine(ctx), errSuperseded) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.h.options.StopTimeout)
	defer cancel()
	if err := s.end(ctx, why); err != nil {
		s.h.options.Logger.Error("session not removed, it is tried again", logged(s.id, err)...)
	}
}
