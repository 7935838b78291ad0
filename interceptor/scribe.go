package interceptor

import (
	"context"
	"time"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// A scribe writes the records of one attempt, one after another, to a sink that
// may be somebody else's code: a panic in it is a failed write, one that never
// returns fails in time, and its error text is never passed on (I5).
//
// The sink is called on a goroutine of its own, since nothing else survives a call
// that never returns. It begins with the first record and serves all of them. The
// sink that is the guard's own log needs none.
type scribe struct {
	sink audit.Sink

	ask    chan audit.Record // nil before the first record
	answer chan error
	cancel context.CancelFunc // of the context that the sink is called with
	timer  *time.Timer
	failed bool // a call did not return: no other is made
}

// write returns when the sink has taken the record, and with an error when it has
// not.
func (s *scribe) write(ctx context.Context, r audit.Record) error {
	if isPrompt(s.sink) {
		return writeNow(ctx, s.sink, r)
	}
	if s.failed {
		return errAuditFailed
	}
	if s.ask == nil {
		s.begin(ctx)
	} else {
		s.timer.Reset(auditTimeout)
	}
	s.ask <- r // the goroutine has answered and waits
	select {
	case err := <-s.answer:
		s.timer.Stop()
		return err
	case <-s.timer.C:
	case <-ctx.Done():
	}
	s.failed = true
	s.cancel()
	return errAuditFailed
}

func (s *scribe) begin(ctx context.Context) {
	ctx, s.cancel = context.WithCancel(ctx)
	s.timer = time.NewTimer(auditTimeout)
	sink, ask, answer := s.sink, make(chan audit.Record), make(chan error, 1)
	s.ask, s.answer = ask, answer
	go func() {
		for r := range ask {
			answer <- writeNow(ctx, sink, r)
		}
	}()
}

// close ends the goroutine, when the sink lets it.
func (s *scribe) close() {
	if s.ask != nil {
		close(s.ask)
		s.timer.Stop()
		s.cancel()
	}
}

// writeNow calls the sink.
func writeNow(ctx context.Context, sink audit.Sink, r audit.Record) (err error) {
	defer func() {
		if recover() != nil {
			err = errAuditFailed
		}
	}()
	if sink.Write(ctx, r) != nil {
		return errAuditFailed
	}
	return nil
}

// isPrompt is true for the sinks whose calls return: the guard's own log, which is
// called in place everywhere else too.
func isPrompt(sink audit.Sink) bool {
	clean, ok := sink.(cleanSink)
	if !ok {
		return false
	}
	_, ok = clean.to.(logSink)
	return ok
}
