package audit

import (
	"context"
	"encoding/json"
	"os"
	"sync"
)

// FileSink is a [Sink] that appends one line of JSON for each record to a file.
type FileSink struct {
	mu sync.Mutex
	f  *os.File
}

// NewFile opens the file at path for appending, and creates it if need be.
func NewFile(path string) (*FileSink, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	return &FileSink{f: f}, nil
}

// Write appends r.
func (s *FileSink) Write(_ context.Context, r Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err = s.f.Write(append(line, '\n'))
	return err
}

// Close closes the file.
func (s *FileSink) Close() error { return s.f.Close() }
