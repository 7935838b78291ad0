package sandboxhost

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strings"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// A spool keeps an output that is too long to be returned in a file of the workspace, for commands that come later.
// What it gets has its secrets hidden.
type spool struct {
	open func() (io.WriteCloser, error)
	path string
	room int64

	file   io.WriteCloser
	failed bool
	more   bool // there was more than fits
}

// newSpool returns a spool for an output of that name, or nil if there is to be none.
func newSpool(ctx context.Context, box backend.Sandbox, name string, max int64) *spool {
	s, ok := box.(backend.Spooler)
	if !ok || max < 0 {
		return nil
	}
	path := backend.SpoolDir + "/" + strings.ToLower(rand.Text()[:8]) + "." + name
	return &spool{path: path, room: max, open: func() (io.WriteCloser, error) { return s.Spool(ctx, path) }}
}

// write adds to the file. An output that cannot be kept is none the less returned.
func (s *spool) write(parts ...[]byte) {
	if s == nil || s.failed {
		return
	}
	if s.file == nil {
		var err error
		if s.file, err = s.open(); err != nil {
			s.failed = true
			return
		}
	}
	for _, p := range parts {
		if int64(len(p)) > s.room {
			p, s.more = p[:s.room], true
		}
		n, err := s.file.Write(p)
		s.room -= int64(n)
		if err != nil {
			s.failed = true
		}
	}
}

// cut says that the backend has dropped some of the output.
func (s *spool) cut() {
	if s != nil {
		s.more = true
	}
}

// close returns what an output says of the file, empty if there is none.
func (s *spool) close() string {
	if s == nil || s.file == nil {
		return ""
	}
	err := s.file.Close()
	switch {
	case err != nil || s.failed:
		return fmt.Sprintf("; its beginning is in %s", s.path)
	case s.more:
		return fmt.Sprintf("; its beginning, as much as is kept, is in %s", s.path)
	}
	return fmt.Sprintf("; all of it is in %s", s.path)
}
