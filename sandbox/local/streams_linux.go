package local

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// streams are the input and the outputs of a command: pipes, which this process copies to and from.
type streams struct {
	// theirs are the command's ends: of its input, its output and its error output.
	theirs []*os.File
	own    []*os.File
	copies []func() error
	copied chan error
}

func newStreams(c command) (*streams, error) {
	s := &streams{}
	if err := errors.Join(s.input(c.stdin), s.output(c.stdout), s.output(c.stderr)); err != nil {
		s.close()
		return nil, err
	}
	s.copied = make(chan error, len(s.copies))
	return s, nil
}

func (s *streams) input(from io.Reader) error {
	if from == nil {
		null, err := os.Open(os.DevNull)
		s.theirs = append(s.theirs, null)
		return err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.theirs, s.own = append(s.theirs, r), append(s.own, w)
	s.copies = append(s.copies, func() error {
		_, err := io.Copy(w, from)
		if errors.Is(err, unix.EPIPE) {
			err = nil // the command need not read it to its end
		}
		return errors.Join(err, w.Close())
	})
	return nil
}

func (s *streams) output(to io.Writer) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	s.theirs, s.own = append(s.theirs, w), append(s.own, r)
	s.copies = append(s.copies, func() error {
		_, err := io.Copy(to, r)
		return errors.Join(err, r.Close())
	})
	return nil
}

// begin begins to copy, once the command has its ends.
func (s *streams) begin() {
	s.closeTheirs()
	for _, c := range s.copies {
		go func() { s.copied <- c() }()
	}
}

// finish waits for the copies of a command that is over, but for no longer than some time: an input may never end. The
// error is that of an input or an output that failed.
func (s *streams) finish(patience time.Duration) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var err error
	for range s.copies {
		select {
		case e := <-s.copied:
			err = errors.Join(err, e)
		case <-timer.C:
			s.close()
			return nil
		}
	}
	return err
}

func (s *streams) closeTheirs() {
	for _, f := range s.theirs {
		_ = f.Close()
	}
	s.theirs = nil
}

func (s *streams) close() {
	s.closeTheirs()
	for _, f := range s.own {
		_ = f.Close()
	}
}
