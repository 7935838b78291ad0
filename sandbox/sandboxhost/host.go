package sandboxhost

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Host answers the activities of one provider. Make it with [New].
type Host struct {
	provider string
	backend  backend.Backend
	kind     string
	options  Options
	store    store
	tenure   *tenure
	prover   prover
	trail    *trail
	slots    slots
	kick     chan struct{} // wakes the watch
	making   sync.WaitGroup
	ready    chan struct{} // closed by Run
	warned   sync.Once     // that there is no guard

	mu       sync.Mutex
	sessions map[string]*session
	ended    map[string]*session // that the owner may end again
	order    []string            // of ended, oldest first
	asks     describer           // nil before Run
	queue    string              // of the host's own worker, empty if there is none
	phase    phase
	closed   bool
}

// A phase is where the host is on its way through Run. Sandboxes are made only while it runs: nobody else would end
// them.
type phase int

const (
	begins phase = iota
	running
	stopping
)

// New returns a host for the provider of that name, with the sessions of an earlier host on the same directory. The
// error names every fault in o at once. The host has Options.Dir and the backend to itself, until Run ends and nothing
// that it began goes on any more; a second one on either of them is refused.
func New(provider string, b backend.Backend, o Options) (*Host, error) {
	o, err := o.complete()
	if provider == "" {
		err = errors.Join(err, errors.New("sandboxhost: the provider needs a name: workflow code asks for it"))
	}
	if b == nil {
		return nil, errors.Join(err, errors.New("sandboxhost: a backend is required"))
	}
	kind := b.Kind()
	if kind != sandbox.ClientUnixLocal && kind != sandbox.ClientDocker {
		err = errors.Join(err, fmt.Errorf("sandboxhost: the backend's kind must be %s or %s: callers could not read the states of another", sandbox.ClientUnixLocal, sandbox.ClientDocker))
	}
	if err != nil {
		return nil, err
	}
	disk, err := openStore(o.Dir)
	if err != nil {
		return nil, err
	}
	own, err := begin(o.Dir, b)
	if err != nil {
		return nil, err
	}
	h := &Host{
		provider: provider, backend: b, kind: kind, options: o, store: disk, tenure: own,
		trail: &trail{sink: o.Audit, log: o.Logger}, slots: newSlots(o.MaxConcurrent, o.ReservedSlots),
		kick: make(chan struct{}, 1), ready: make(chan struct{}), sessions: map[string]*session{}, ended: map[string]*session{},
	}
	if err := h.recall(); err != nil {
		own.done()
		return nil, err
	}
	return h, nil
}

// Close gives Options.Dir and the backend free if Run is never called, as when the worker does not start. Run does so
// itself: closing after it was called, or again, does nothing.
func (h *Host) Close() {
	h.mu.Lock()
	first := h.asks == nil && !h.closed
	h.closed = true
	h.mu.Unlock()
	if first {
		h.tenure.done()
	}
}

// recall reads what earlier hosts on the directory left.
func (h *Host) recall() (err error) {
	if h.prover, err = h.store.prover(); err != nil {
		return err
	}
	records, found, err := h.store.load()
	if err != nil {
		return err
	}
	for _, r := range records {
		h.sessions[r.ID] = h.newSession(r)
	}
	odd, err := h.remember()
	if err != nil {
		return err
	}
	if found.unreadable > 0 {
		h.options.Logger.Error("records of sessions were unreadable, the sessions end", zap.Int("count", found.unreadable))
	}
	if odd += found.odd; odd > 0 {
		h.options.Logger.Warn("sandboxhost.Options.Dir holds what is not a host's, which is left alone: remove it, or give the host a directory of its own", zap.Int("count", odd))
	}
	return nil
}

func (h *Host) server() describer {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asks
}

func (h *Host) privateQueue() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.queue
}

// all returns the sessions there are.
func (h *Host) all() []*session {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.sessions))
}

// find returns a session, one that ended if that is asked for, or nil.
func (h *Host) find(id string, ended bool) *session {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[id]; s != nil || !ended {
		return s
	}
	return h.ended[id]
}

// add returns the session with the id of the new one: that which is there already, or the new one.
// The caller tells h.making when it is done with it.
func (h *Host) add(fresh *session) (*session, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch h.phase {
	case begins:
		return nil, notRunning()
	case stopping:
		return nil, stopped()
	case running:
	}
	h.making.Add(1)
	if s := h.sessions[fresh.id]; s != nil {
		return s, nil
	}
	h.sessions[fresh.id] = fresh
	return fresh, nil
}

// wake makes the watch look at all sessions now.
func (h *Host) wake() {
	select {
	case h.kick <- struct{}{}:
	default:
	}
}

// admit returns the session that a caller's state names, if it is the caller's and the state is what the host gave
// out. Otherwise the error is the answer to an unknown id, and the attempt is recorded.
func (h *Host) admit(ctx context.Context, name operation.Name, given sandbox.SessionState) (*session, error) {
	c := callerOf(ctx)
	id := given.SessionID
	s := h.find(id, name.CleanUp())
	if _, err := uuid.Parse(id); s == nil && name == operation.Resume && err == nil { // perhaps an earlier host's
		r, ok, err := h.store.read(id)
		if err != nil {
			return nil, err
		}
		if ok {
			s = h.newSession(r)
		}
	}
	if s == nil {
		return nil, h.refuse(ctx, c, id, "no such session")
	}
	owner, err := s.owns(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case c.standalone():
		return nil, h.refuse(ctx, c, id, "an activity without a workflow owns no session")
	case !owner:
		return nil, h.refuse(ctx, c, id, "the session belongs to another workflow")
	}
	s.mu.Lock()
	r := s.rec
	s.mu.Unlock()
	if field := differs(given, h.kind, r, name.CleanUp()); field != "" {
		return nil, h.refuse(ctx, c, id, "the state was changed: "+field)
	}
	return s, nil
}
