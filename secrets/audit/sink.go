package audit

import (
	"context"
	"errors"
)

// Sink takes records. Write is called by several goroutines at a time.
//
// An act that grants something is recorded before it is done, and refused if
// Write fails. Refusals, redaction and clean-up do not depend on it.
type Sink interface {
	Write(ctx context.Context, r Record) error
}

// SinkFunc is a function that is a [Sink].
type SinkFunc func(ctx context.Context, r Record) error

// Write calls f.
func (f SinkFunc) Write(ctx context.Context, r Record) error { return f(ctx, r) }

// Discard returns a Sink that drops every record and never fails.
func Discard() Sink {
	return SinkFunc(func(context.Context, Record) error { return nil })
}

// Multi returns a Sink that writes to all of sinks, in order, also after one of
// them failed. Its error joins theirs.
func Multi(sinks ...Sink) Sink {
	sinks = append([]Sink(nil), sinks...)
	return SinkFunc(func(ctx context.Context, r Record) error {
		var errs []error
		for _, s := range sinks {
			errs = append(errs, s.Write(ctx, r))
		}
		return errors.Join(errs...)
	})
}
