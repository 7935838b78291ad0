package sandboxhost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.uber.org/zap"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// Run serves the sessions until ctx ends: it takes those of an earlier host over, ends what is due, and removes
// everything at the end, unless Options.KeepOnStop is set. Sandboxes are made only while it runs. It can be called
// once.
//
// With a base queue, which is the task queue of the provider, the host also starts a worker for a queue of its own,
// and tells callers to use that for a session. Its name is random and kept in Options.Dir, so that the operations of
// a session reach the next host on the same directory. Any number of hosts can serve one provider then, each with a
// directory of its own. A session lives on the host that made it and ends with that. An attempt of create that is made
// again on another host makes another sandbox; the first one ends when it was idle for too long.
//
// Without a base queue all operations stay on the queue on which [Host.Register] put them, which must have one host
// alone. Callers that ignore the queue of a host, as Temporal's plugin for the OpenAI Agents SDK does, need that.
//
// The error is not nil if the host could not begin, or if something is left of a session; the next host on the same
// directory removes that.
func (h *Host) Run(ctx context.Context, c client.Client, baseQueue string) error {
	return h.serve(ctx, c.WorkflowService(), func() (stop func(), err error) {
		if baseQueue == "" {
			return func() {}, nil
		}
		queue, err := h.ownQueue()
		if err != nil {
			return nil, err
		}
		w, err := newWorker(c, queue, worker.Options{
			DisableWorkflowWorker:              true,
			MaxConcurrentActivityExecutionSize: workerSlots(h.options.MaxConcurrent),
			WorkerStopTimeout:                  h.options.StopTimeout,
			// The policy of the base queue is in force on this one, whatever its name.
			BackgroundActivityContext: context.WithValue(context.WithoutCancel(ctx), bind.QueueKey{}, baseQueue),
		})
		if err != nil {
			return nil, err
		}
		h.Register(w)
		if err := w.Start(); err != nil {
			return nil, err
		}
		h.mu.Lock()
		h.queue = queue
		h.mu.Unlock()
		return w.Stop, nil
	})
}

// Ready returns a channel that is closed once sandboxes can be made, for who must not be early. What asks before is
// answered by an error that is retried. It stays open if Run cannot begin.
func (h *Host) Ready() <-chan struct{} { return h.ready }

// newWorker makes a worker. The SDK panics if a plugin refuses it.
func newWorker(c client.Client, queue string, o worker.Options) (w worker.Worker, err error) {
	defer func() {
		if r := recover(); r != nil {
			if err, _ = r.(error); err == nil {
				err = errors.New("a plugin refused it")
			}
			err = fmt.Errorf("sandboxhost: the host does not run, its worker was not made: %w", err)
		}
	}()
	return worker.New(c, queue, o), nil
}

// serve does what Run does, for any server.
func (h *Host) serve(ctx context.Context, server describer, work func() (stop func(), err error)) error {
	h.mu.Lock()
	if h.asks != nil || h.closed {
		h.mu.Unlock()
		return errors.New("sandboxhost: Run or Close was called before: make another host")
	}
	h.asks = server
	h.mu.Unlock()
	defer h.tenure.done()
	defer h.trail.flush()
	if err := h.takeOver(ctx); err != nil {
		return err
	}
	stop, err := work()
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.phase = running
	h.mu.Unlock()
	close(h.ready)
	fields := []zap.Field{zap.String("provider", h.provider), zap.String("isolation", h.backend.Isolation())}
	if d, ok := h.backend.(backend.Describer); ok {
		fields = append(fields, zap.Strings("mechanisms", d.Describe()))
	}
	h.options.Logger.Info("sandbox host runs", fields...)

	h.watchOver(ctx)

	h.mu.Lock()
	h.phase = stopping
	h.mu.Unlock()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.options.StopTimeout)
	defer cancel()
	err = h.endAll(last) // first, so that commands end and the worker need not wait for them
	made := make(chan struct{})
	go func() {
		h.making.Wait() // who comes too late removes what was made
		close(made)
	}()
	select {
	case <-made:
	case <-last.Done():
	}
	stop()
	return err
}

// takeOver makes the sessions of an earlier host this one's, and clears up what it left undone.
func (h *Host) takeOver(ctx context.Context) error {
	sessions := h.all() // before the sandboxes are listed: what is made meanwhile is not missing
	ids, err := h.left(ctx)
	if err != nil {
		return errors.New("sandboxhost: the host does not run, its backend cannot list the sandboxes there are: look into its log")
	}
	for _, s := range sessions {
		s.mu.Lock()
		lost := s.rec.Made && !slices.Contains(ids, s.id)
		s.mu.Unlock()
		if lost {
			s.endDue(ctx, "its sandbox is gone") // tried again if it fails
			continue
		}
		if err := s.takenOver(ctx); err != nil {
			return err
		}
	}
	for _, id := range ids {
		epoch, err := h.store.epoch(id)
		if err != nil {
			return err
		}
		if epoch > 0 {
			continue
		}
		if err := h.deleteOrphan(ctx, id); err != nil {
			h.options.Logger.Error("sandbox without a session not removed", logged(id, err)...)
		}
	}
	return nil
}

// left returns the ids of the sandboxes there are, also if the host is to stop at once.
func (h *Host) left(ctx context.Context) (ids []string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.options.StopTimeout)
	defer cancel()
	listed := make(chan []string, 1)
	err = within(ctx, func() error {
		ids, err := h.backend.List(ctx)
		listed <- ids
		return err
	})
	if err != nil {
		return nil, err
	}
	return <-listed, nil
}

// deleteOrphan removes a sandbox of which there is no record.
func (h *Host) deleteOrphan(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, h.options.StopTimeout)
	defer cancel()
	return within(ctx, func() error { return h.backend.Delete(ctx, id) })
}

// takenOver claims a session of an earlier host, and has its owner looked at soon.
func (s *session) takenOver(ctx context.Context) error {
	if err := s.setup.lock(ctx); err != nil {
		return err
	}
	defer s.setup.unlock()
	s.mu.Lock()
	claimed := s.claimed
	s.mu.Unlock()
	if !claimed {
		if err := s.claim(); errors.Is(err, errSuperseded) {
			s.lose(ctx)
			return nil
		} else if err != nil {
			return err
		}
	}
	s.askSoon()
	return nil
}

// endAll ends all sessions, or their processes only.
func (h *Host) endAll(ctx context.Context) error {
	var work sync.WaitGroup
	var mu sync.Mutex
	left := 0
	limit := make(chan struct{}, parallel)
	for _, s := range h.all() {
		work.Go(func() {
			limit <- struct{}{}
			defer func() { <-limit }()
			if err := s.leave(ctx); err != nil && !errors.Is(err, errSuperseded) {
				h.options.Logger.Error("session not ended", logged(s.id, err)...)
				mu.Lock()
				defer mu.Unlock()
				left++
			}
		})
	}
	work.Wait()
	if left > 0 {
		return fmt.Errorf("sandboxhost: %d sessions could not be ended: run a host on the same directory again, which does", left)
	}
	return nil
}

// leave ends a session as its host stops.
func (s *session) leave(ctx context.Context) error {
	if errors.Is(s.mine(ctx), errSuperseded) {
		return nil
	}
	s.mu.Lock()
	box, keep := s.box, s.h.options.KeepOnStop && s.life == alive
	if keep {
		s.life = letGo
		if s.claimed {
			_ = s.save() // the use that the next host knows of may be late
		}
	}
	s.mu.Unlock()
	if !keep {
		return s.end(ctx, "the host stops")
	}
	defer s.unkeep()
	if box == nil || !s.h.tenure.hold() {
		return nil
	}
	return within(ctx, func() error {
		defer s.h.tenure.done()
		return box.Stop(ctx)
	})
}
