package audit

import (
	"context"
	"errors"
	"slices"
)

// Sink takes records.
//
// Write is called by several goroutines at a time. When it returns nil the
// record is kept as well as the sink ever keeps it. It should return soon, also
// when ctx is done: a record of a refusal or of clean-up is worth keeping after
// the activity was cancelled. An error does not quote the record.
//
// Write is not called by workflow code.
type Sink interface {
	Write(ctx context.Context, r Record) error
}

// SinkFunc is a function that is a [Sink].
type SinkFunc func(ctx context.Context, r Record) error

// Write calls f.
func (f SinkFunc) Write(ctx context.Context, r Record) error { return f(ctx, r) }

// Discard returns a [Sink] that drops every record and never fails, for those
// who decide to have no audit. It equals every other that Discard returns.
func Discard() Sink { return discard{} }

type discard struct{}

func (discard) Write(context.Context, Record) error { return nil }

// Multi returns a [Sink] that writes to all of sinks in order, also after one
// of them failed; it fails if any of them does, and its error joins theirs. A
// nil among them, and no sink at all, is a failure with [ErrNoSink] at each
// Write, so that an audit that was forgotten is noticed.
func Multi(sinks ...Sink) Sink {
	sinks = slices.Clone(sinks)
	return SinkFunc(func(ctx context.Context, r Record) error {
		if len(sinks) == 0 {
			return fail(ErrNoSink, nil)
		}
		var errs []error
		for _, s := range sinks {
			if s == nil {
				errs = append(errs, fail(ErrNoSink, nil))
				continue
			}
			if err := s.Write(ctx, r); err != nil {
				errs = append(errs, err)
			}
		}
		return errors.Join(errs...)
	})
}
