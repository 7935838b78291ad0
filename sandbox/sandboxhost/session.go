package sandboxhost

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// A session is a sandbox and its record, while this process has to do with it.
type session struct {
	h  *Host
	id string
	// Tokens are held by who makes or opens the sandbox, who starts it, and who removes it.
	setup, starting, removal token

	mu       sync.Mutex
	rec      record
	fresh    bool            // there is no record on disk yet
	claimed  bool            // the record's epoch is this host's
	box      backend.Sandbox // nil before it was made or opened
	up       bool            // this process started it
	life     life
	inUse    int
	removing bool      // perhaps longer than anybody waits
	late     bool      // it was made while it was being removed, or after that
	stored   time.Time // the last use that the record on disk tells
	runs     map[string]bool
	keepers  map[*redact.Set]*keeper // by guard
	watch    schedule
	ptys     ptyTable // what is talked to
}

// A life is what has become of a session. Nothing begins in one that is not alive.
type life int

const (
	alive  life = iota
	letGo       // another host has it, or is to have it
	ending      // it is being removed, or is to be once more
	gone        // nothing is left
)

// schedule is what the watch plans for a session.
type schedule struct {
	poll, end      time.Time
	asking, ending bool
	ownerless      bool // the server said so
}

// A token is a lock that is waited for no longer than a context lasts.
type token chan struct{}

func newToken() token { return make(token, 1) }

// lock succeeds at once if nobody has it, also after the end of ctx.
func (t token) lock(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t token) unlock() { <-t }

func (h *Host) newSession(r record) *session {
	s := &session{
		h: h, id: r.ID, setup: newToken(), starting: newToken(), removal: newToken(), rec: r, stored: r.Used,
		runs: map[string]bool{r.Run: true, r.FirstRun: true}, keepers: map[*redact.Set]*keeper{},
	}
	s.watch.poll = h.nextPoll(time.Now())
	return s
}

// use begins an operation: the session is not idle until done is called.
func (s *session) use() (done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life != alive || !s.h.tenure.hold() {
		return nil, notHere()
	}
	s.inUse++
	s.touch(time.Now())
	return func() {
		defer s.h.tenure.done()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.inUse--
		s.touch(time.Now())
	}, nil
}

// touch notes that the session is in use. The record on disk may be late by an eighth of the timeout. s.mu is held.
func (s *session) touch(now time.Time) {
	s.rec.Used = now
	if s.claimed && s.life == alive && now.Sub(s.stored) > s.h.options.IdleTimeout/8 {
		_ = s.save() // a use that is not noted ends the session early, after a restart only
	}
}

// save writes the record. s.mu is held.
func (s *session) save() error {
	if err := s.h.store.save(s.rec); err != nil {
		return err
	}
	s.stored = s.rec.Used
	return nil
}

// mine reports an error if another host has the session by now, and lets go of it then.
func (s *session) mine(ctx context.Context) error {
	s.mu.Lock()
	held, err := true, error(nil)
	if s.claimed && s.life == alive {
		held, err = s.h.store.holds(s.rec)
	}
	s.mu.Unlock()
	if err != nil || held {
		return err
	}
	s.lose(ctx)
	return errSuperseded
}

// lose stops what this process started of a session that another host has.
func (s *session) lose(ctx context.Context) {
	s.mu.Lock()
	box := s.box
	s.life, s.box = letGo, nil
	s.mu.Unlock()
	s.h.forget(s, false)
	s.h.options.Logger.Warn("another host has taken the session over", zap.String("session", s.id))
	if box == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.h.options.StopTimeout)
	defer cancel()
	if err := within(ctx, func() error { return box.Stop(ctx) }); err != nil {
		s.h.options.Logger.Error("sandbox not stopped", logged(s.id, err)...)
	}
}

// claim makes the session this host's. s.setup is held.
func (s *session) claim() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if next := s.rec; s.fresh {
		err = s.h.store.create(next)
	} else if next, err = s.h.store.claim(s.rec); err == nil {
		s.rec = next
	}
	if err != nil {
		return err
	}
	s.fresh, s.claimed = false, true
	return nil
}

// open returns the sandbox.
func (s *session) open(ctx context.Context) (backend.Sandbox, error) {
	if err := s.setup.lock(ctx); err != nil {
		return nil, err
	}
	defer s.setup.unlock()
	return s.opened(ctx, s.h.backend.Open)
}

// startAgain starts a sandbox that an earlier process of this host had started: for the workflow, a restart of the
// host is nothing but time.
func (s *session) startAgain(ctx context.Context, box backend.Sandbox) error {
	s.mu.Lock()
	due := s.rec.Started && !s.up
	s.mu.Unlock()
	if !due {
		return nil
	}
	return s.start(ctx, box)
}

// start lets commands run.
func (s *session) start(ctx context.Context, box backend.Sandbox) error {
	if err := s.starting.lock(ctx); err != nil { // an attempt that the server gave up may still be at it
		return err
	}
	defer s.starting.unlock()
	if err := s.mine(ctx); err != nil {
		return err
	}
	if err := box.Start(ctx); err != nil {
		return err
	}
	return s.started(true)
}

// started notes whether commands may run.
func (s *session) started(is bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.up = is
	if s.rec.Started == is {
		return nil
	}
	s.rec.Started = is
	if !s.claimed || s.life != alive { // it is written with the claim
		return nil
	}
	return s.save()
}

// opened makes or opens the sandbox unless that was done. s.setup is held.
func (s *session) opened(ctx context.Context, get func(context.Context, backend.Spec) (backend.Sandbox, error)) (backend.Sandbox, error) {
	s.mu.Lock()
	box, r, claimed, life := s.box, s.rec, s.claimed, s.life
	s.mu.Unlock()
	switch {
	case life != alive:
		return nil, notHere()
	case !claimed:
		err := s.claim()
		if errors.Is(err, errSuperseded) {
			s.lose(ctx)
		}
		if err != nil {
			return nil, err
		}
	default:
		if err := s.mine(ctx); err != nil {
			return nil, err
		}
	}
	if box != nil {
		return box, nil
	}
	box, err := get(ctx, backend.Spec{ID: r.ID, Manifest: r.Manifest, Options: r.Options})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	life = s.life
	if life == alive {
		s.box, s.rec.Made = box, true
		err = s.save()
	}
	s.mu.Unlock()
	switch life {
	case alive:
		return box, err
	case ending, gone: // perhaps before the sandbox was there
		s.endAgain(ctx)
	case letGo:
	}
	return nil, notHere()
}
