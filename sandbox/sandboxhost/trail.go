package sandboxhost

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

const (
	// trailCapacity bounds the records that wait for a slow sink.
	trailCapacity = 1024
	// auditTimeout bounds the write of one.
	auditTimeout = 10 * time.Second
)

// A trail hands records to the sink, and no call waits for it. Its goroutine lives only while there is something to
// write.
type trail struct {
	sink audit.Sink
	log  *zap.Logger

	mu      sync.Mutex
	waiting []audit.Record
	drained chan struct{} // closed when nothing waits any more, nil if nothing does
}

func (t *trail) add(ctx context.Context, r audit.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) >= trailCapacity {
		t.log.Warn("audit record dropped, the sink is too slow", zap.String("activity", r.Activity))
		return
	}
	t.waiting = append(t.waiting, r)
	if t.drained == nil {
		t.drained = make(chan struct{})
		go t.drain(context.WithoutCancel(ctx))
	}
}

// flush waits until what was added is written, and no longer than auditTimeout.
func (t *trail) flush() {
	t.mu.Lock()
	drained := t.drained
	t.mu.Unlock()
	if drained == nil {
		return
	}
	late := time.NewTimer(auditTimeout)
	defer late.Stop()
	select {
	case <-drained:
	case <-late.C:
		t.mu.Lock()
		defer t.mu.Unlock()
		t.log.Warn("audit records not written before the host ended, the sink is too slow", zap.Int("waiting", len(t.waiting)))
	}
}

func (t *trail) drain(ctx context.Context) {
	for {
		t.mu.Lock()
		if len(t.waiting) == 0 {
			close(t.drained)
			t.waiting, t.drained = nil, nil
			t.mu.Unlock()
			return
		}
		r := t.waiting[0]
		t.waiting = t.waiting[1:]
		t.mu.Unlock()
		write, cancel := context.WithTimeout(ctx, auditTimeout)
		if t.sink.Write(write, r) != nil {
			t.log.Warn("audit record not written", zap.String("action", string(r.Action)))
		}
		cancel()
	}
}

// logSink writes records to the log.
type logSink struct{ to *zap.Logger }

func (s logSink) Write(_ context.Context, r audit.Record) error {
	s.to.Warn("audit", zap.String("action", string(r.Action)), zap.String("outcome", string(r.Outcome)),
		zap.String("workflowID", r.WorkflowID), zap.String("runID", r.RunID), zap.String("activity", r.Activity),
		zap.String("activityID", r.ActivityID), zap.String("session", r.Key), zap.String("detail", r.Detail))
	return nil
}
