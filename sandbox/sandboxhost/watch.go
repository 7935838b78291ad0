package sandboxhost

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// parallel is how many endings, and how many questions, go on at a time.
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
// that goes on any more. Questions never hold an end up: a server that does not answer takes all that may be asked at a
// time.
func (h *Host) watchOver(ctx context.Context) {
	var work sync.WaitGroup
	defer work.Wait()
	ends, questions := make(chan struct{}, parallel), make(chan struct{}, parallel)
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
			why, ask, at := s.due(now)
			if why != "" {
				work.Go(func() { s.turn(ctx, ends, &s.watch.ending, func(ctx context.Context) { s.endDue(ctx, why) }) })
			}
			if ask {
				work.Go(func() { s.turn(ctx, questions, &s.watch.asking, s.ask) })
			}
			if at.Before(next) {
				next = at
			}
		}
		timer.Reset(next.Sub(now))
	}
}

// turn does a job of the watch when there is room for it, and has the session looked at again. busy says that it does.
func (s *session) turn(ctx context.Context, limit chan struct{}, busy *bool, job func(context.Context)) {
	select {
	case limit <- struct{}{}:
		job(ctx)
		<-limit
	case <-ctx.Done():
	}
	s.mu.Lock()
	*busy = false
	s.mu.Unlock()
	s.h.wake()
}

// due returns why the session is to be ended now, empty if it is not, whether the server is to be asked about its owner,
// and when to look again.
func (s *session) due(now time.Time) (why string, ask bool, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.h.options
	died, idle, never := s.rec.Created.Add(o.MaxLifetime), s.rec.Used.Add(o.IdleTimeout), now.Add(o.PollInterval)
	if s.inUse > 0 {
		idle = died
	}
	switch {
	case s.watch.ending, s.removing, s.life == letGo, s.life == gone:
		return "", false, never
	case s.life == ending && now.Before(s.watch.end):
		return "", false, s.watch.end
	case s.life == ending:
		why = "it could not be removed before"
	case !now.Before(died):
		why = "it is as old as a session may be"
	case !now.Before(idle):
		why = "nothing used it for too long"
	case s.watch.ownerless:
		why = "its owner has ended"
	}
	if why != "" {
		s.watch.ending = true
		return why, false, never
	}
	next = died
	if idle.Before(next) {
		next = idle
	}
	switch {
	case s.watch.asking:
		return "", false, next
	case !now.Before(s.watch.poll):
		s.watch.asking, s.watch.poll, ask = true, s.h.nextPoll(now), true
	}
	if s.watch.poll.Before(next) {
		next = s.watch.poll
	}
	return "", ask, next
}

// ask finds out whether the owner has ended, for the watch to end the session. A server that does not answer ends
// nothing; the deadlines hold.
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
	s.mu.Lock()
	s.watch.ownerless = true
	s.mu.Unlock()
}

func (s *session) endDue(ctx context.Context, why string) {
	ctx, cancel := context.WithTimeout(ctx, s.h.options.StopTimeout)
	defer cancel()
	if err := s.end(ctx, why); err != nil && !errors.Is(err, errSuperseded) {
		s.h.options.Logger.Error("session not removed, it is tried again", logged(s.id, err)...)
	}
}
