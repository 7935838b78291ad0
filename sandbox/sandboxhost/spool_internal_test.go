package sandboxhost

import (
	"bytes"
	"io"
	"testing"
)

type closing struct{ *bytes.Buffer }

func (closing) Close() error { return nil }

// TestSpoolCut checks that a file is not said to have all of an output of which the backend has dropped some.
func TestSpoolCut(t *testing.T) {
	var file bytes.Buffer
	s := &spool{path: "p", room: 10, open: func() (io.WriteCloser, error) { return closing{&file}, nil }}
	s.write([]byte("abc"))
	s.cut()
	if got, want := s.close(), "; its beginning, as much as is kept, is in p"; got != want || file.String() != "abc" {
		t.Errorf("%q, the file has %q", got, file.String())
	}
	(*spool)(nil).cut()
}
