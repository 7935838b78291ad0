package audit

import (
	"errors"
	"syscall"
)

// The kinds of failure, to be tested with errors.Is.
var (
	// ErrOpen: the file cannot be opened for appending.
	ErrOpen = errors.New("audit: file cannot be opened")
	// ErrWrite: a record was not written, or not in full.
	ErrWrite = errors.New("audit: record not written")
	// ErrClosed: the sink was closed before.
	ErrClosed = errors.New("audit: sink is closed")
	// ErrNoSink: there is no sink to write to.
	ErrNoSink = errors.New("audit: no sink")
)

// Error is a failure of a sink of this package. Its text has no path and
// nothing of the record.
type Error struct {
	// Kind is one of the sentinels of this package.
	Kind error
	// Errno is what the operating system said, 0 if it was not asked.
	Errno syscall.Errno
}

// Error returns one line of text.
func (e *Error) Error() string {
	text := "audit: failed"
	for _, kind := range []error{ErrOpen, ErrWrite, ErrClosed, ErrNoSink} {
		if e.Kind == kind { //nolint:errorlint // this kind itself, and not what wraps it
			text = kind.Error()
		}
	}
	if e.Errno != 0 {
		text += ": " + e.Errno.Error()
	}
	return text
}

// Unwrap returns Kind and Errno.
func (e *Error) Unwrap() []error {
	var errs []error
	if e.Kind != nil {
		errs = append(errs, e.Kind)
	}
	if e.Errno != 0 {
		errs = append(errs, e.Errno)
	}
	return errs
}

// fail returns an *Error of this kind with the system's part of cause.
func fail(kind, cause error) error {
	e := &Error{Kind: kind}
	errors.As(cause, &e.Errno)
	return e
}
