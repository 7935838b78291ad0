package audit

import (
	"bytes"
	"errors"
	"syscall"
	"testing"
)

// filling is a file on a disk that has room for some bytes.
type filling struct {
	bytes.Buffer
	room   int
	writes int
	closed error
}

func (f *filling) Write(p []byte) (int, error) {
	f.writes++
	n := min(f.room, len(p))
	f.room -= n
	f.Buffer.Write(p[:n])
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func (f *filling) Close() error { return f.closed }

func TestTornLineDoesNotSpoilTheNext(t *testing.T) {
	t.Parallel()
	record := Record{Action: ActionDeny, RunID: "r"}
	const line = `{"action":"deny","run_id":"r"}` + "\n"
	f := &filling{closed: syscall.EIO}
	s := &FileSink{out: f}
	for i, step := range []struct {
		room int
		ok   bool
		want string // what the file holds then
	}{
		{0, false, ""},
		{100, true, line},
		{4, false, line + line[:4]},
		{0, false, line + line[:4]},
		{1, false, line + line[:4] + "\n"},
		{6, false, line + line[:4] + "\n" + line[:6]},
		{100, true, line + line[:4] + "\n" + line[:6] + "\n" + line},
		{100, true, line + line[:4] + "\n" + line[:6] + "\n" + line + line},
	} {
		f.room = step.room
		err := s.Write(t.Context(), record)
		if step.ok != (err == nil) || !step.ok && !errors.Is(err, ErrWrite) {
			t.Errorf("step %d: Write: %v", i, err)
		}
		if f.String() != step.want {
			t.Errorf("step %d: the file holds %q, want %q", i, f.String(), step.want)
		}
		if f.writes != i+1 {
			t.Errorf("step %d: %d writes, want one a record", i, f.writes)
		}
	}
	if err := s.Close(); !errors.Is(err, ErrWrite) || !errors.Is(err, syscall.EIO) {
		t.Errorf("Close: %v", err)
	}
}
