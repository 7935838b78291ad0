package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"sync"
)

// FileSink is a [Sink] that appends each record to a file as one line of JSON.
// Make it with [NewFile]; the zero FileSink is closed. It may be used by
// several goroutines.
type FileSink struct {
	mu sync.Mutex
	// out is nil when closed.
	out io.WriteCloser
	// torn is set while the file ends within a line.
	torn bool
}

// NewFile opens the file at path for appending. If there is none it is made,
// readable and writable by its owner only; the mode of one that is there is
// left alone. The path may also be that of a device. The error wraps [ErrOpen]
// and does not name the path.
//
// Records go to the operating system at once and to the disk when it sees fit.
// A program that rotates the file must copy and truncate it, or make the
// process open it anew.
func NewFile(path string) (*FileSink, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // where the audit goes is for who sets up the worker to say
	if err != nil {
		return nil, fail(ErrOpen, err)
	}
	return &FileSink{out: f}, nil
}

// Write appends r with one call to the operating system, also when ctx is done.
// The error wraps [ErrWrite] or [ErrClosed]. If only a part of the record could
// be written, the next one begins on a line of its own.
func (s *FileSink) Write(_ context.Context, r Record) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line) // ends the line
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fail(ErrWrite, nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == nil {
		return fail(ErrClosed, nil)
	}
	data := line.Bytes()
	if s.torn {
		data = append([]byte("\n"), data...)
	}
	n, err := s.out.Write(data)
	if err != nil {
		s.torn = s.torn && n == 0 || n > 0 && data[n-1] != '\n'
		return fail(ErrWrite, err)
	}
	s.torn = false
	return nil
}

// Close closes the file. Closing twice is in order. The error wraps [ErrWrite]:
// what was written last may be lost.
func (s *FileSink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.out == nil {
		return nil
	}
	out := s.out
	s.out = nil
	if err := out.Close(); err != nil {
		return fail(ErrWrite, err)
	}
	return nil
}
