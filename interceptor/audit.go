package interceptor

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/log"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// trailCapacity bounds the records that wait for a slow sink. What does not fit
// is counted and dropped: the marker in history is the durable record of a
// workflow-side refusal, the sink's copy is a convenience.
const trailCapacity = 4096

// A trail hands records of workflow code to the sink on a goroutine of its own.
// Workflow code never writes a sink itself: a slow one would stop the workflow
// task, and one call would be recorded once per replay.
//
// The goroutine lives only while there is something to write, so a stopped
// worker leaves nothing behind.
type trail struct {
	sink audit.Sink
	log  log.Logger

	mu      sync.Mutex
	waiting []audit.Record
	running bool
	lost    func() // called for each record that the sink will not get
}

func newTrail(sink audit.Sink, l log.Logger, lost func()) *trail {
	return &trail{sink: sink, log: l, lost: lost}
}

// add queues a record and never blocks.
//
// It hands the record to a goroutine outside of workflow code and waits for nothing.
//
//workflowcheck:ignore
func (t *trail) add(r audit.Record) {
	if isDiscard(t.sink) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) >= trailCapacity {
		t.lost()
		return
	}
	t.waiting = append(t.waiting, r)
	if !t.running {
		t.running = true
		go t.drain()
	}
}

func (t *trail) drain() {
	for {
		t.mu.Lock()
		if len(t.waiting) == 0 {
			t.running = false
			t.mu.Unlock()
			return
		}
		r := t.waiting[0]
		t.waiting = t.waiting[1:]
		t.mu.Unlock()
		if err := writeRecord(context.Background(), t.sink, r); err != nil {
			t.lost()
			t.log.Warn("audit record not written", "action", string(r.Action), "rule", r.Rule)
		}
	}
}

// auditTimeout bounds a write to the sink. A sink that takes longer counts as
// failed: what it should have recorded does not happen, and is tried again.
const auditTimeout = 10 * time.Second

// writeRecord writes one record, whatever the sink does.
func writeRecord(ctx context.Context, sink audit.Sink, r audit.Record) error {
	s := scribe{sink: sink}
	defer s.close()
	return s.write(ctx, r)
}

// logSink is the default sink: the client's logger.
type logSink struct{ to *lateLogger }

func (s logSink) Write(_ context.Context, r audit.Record) error {
	fields := []any{"action", string(r.Action)}
	for _, f := range [...]struct{ key, value string }{
		{"outcome", string(r.Outcome)},
		{"mode", r.Mode},
		{"namespace", r.Namespace},
		{"queue", r.Queue},
		{"workflow", r.Workflow},
		{"workflowID", r.WorkflowID},
		{"runID", r.RunID},
		{"activity", r.Activity},
		{"activityID", r.ActivityID},
		{"secret", r.Secret},
		{"ref", r.Ref},
		{"owner", r.Owner},
		{"destination", r.Destination},
		{"rule", r.Rule},
		{"path", r.Path},
		{"policy", r.PolicyDigest},
		{"key", r.Key},
		{"detail", r.Detail},
	} {
		if f.value != "" {
			fields = append(fields, f.key, f.value)
		}
	}
	if r.Attempt > 0 {
		fields = append(fields, "attempt", r.Attempt)
	}
	if r.Count > 0 {
		fields = append(fields, "count", r.Count)
	}
	if r.Outcome == audit.OutcomeRefused || r.Outcome == audit.OutcomeFailed || r.Action == audit.ActionTaint {
		s.to.Warn("audit", fields...)
	} else {
		s.to.Info("audit", fields...)
	}
	return nil
}

// cleanSink keeps values out of records: a workflow id or a map key in a path may
// hold one.
type cleanSink struct {
	to     audit.Sink
	hidden *redact.Set
}

func (s cleanSink) Write(ctx context.Context, r audit.Record) error {
	for _, field := range []*string{&r.Queue, &r.Workflow, &r.WorkflowID, &r.Activity, &r.ActivityID, &r.Path, &r.Key, &r.Detail} {
		*field, _ = s.hidden.String(*field)
	}
	return s.to.Write(ctx, r)
}

// isDiscard is true for the sink of those who decided to have no audit: no record is
// made for it.
func isDiscard(sink audit.Sink) bool {
	clean, ok := sink.(cleanSink)
	return ok && clean.to == audit.Discard()
}
