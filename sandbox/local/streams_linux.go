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
	theirs  []*os.File
	own     []*os.File
	inputs  copies
	outputs copies
}

// copies are what is copied until something ends.
type copies struct {
	all  []func() error
	done chan error
}

func (c *copies) begin() {
	c.done = make(chan error, len(c.all))
	for _, f := range c.all {
		go func() { c.done <- f() }()
	}
}

func newStreams(c command) (*streams, error) {
	s := &streams{}
	if err := errors.Join(s.input(c.stdin), s.output(c.stdout), s.output(c.stderr)); err != nil {
		s.close()
		return nil, err
	}
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
	s.inputs.all = append(s.inputs.all, func() error {
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
	s.outputs.all = append(s.outputs.all, func() error {
		_, err := io.Copy(to, r)
		return errors.Join(err, r.Close())
	})
	return nil
}

// begin begins to copy, once the command has its ends.
func (s *streams) begin() {
	s.closeTheirs()
	s.inputs.begin()
	s.outputs.begin()
}

// finish waits for the copies of a command that is over, but for no longer than some time: an input may never end. A write
// that is under way then is waited for, so that nothing is written any more when finish returns. The error is that of an
// input or an output that failed.
func (s *streams) finish(patience time.Duration) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	var err error
	for in, out := len(s.inputs.all), len(s.outputs.all); in+out > 0; {
		select {
		case e := <-s.inputs.done:
			in, err = in-1, errors.Join(err, e)
		case e := <-s.outputs.done:
			out, err = out-1, errors.Join(err, e)
		case <-timer.C:
			s.close()
			for ; out > 0; out-- {
				<-s.outputs.done //nolint:errcheck // that the pipe was closed
			}
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
