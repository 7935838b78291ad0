package sandboxhost

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/sandboxguard/sandboxguard/internal/bind"
)

// An output is what a command writes to one of its outputs: hidden first and then cut, so that no part of a secret is
// left where it was cut. A long one loses its middle.
type output struct {
	head, tail []byte
	half       int
	start      int   // of tail, which is a ring once it is full
	dropped    int64 // bytes between head and tail
	total      int64
	spool      *spool // gets all of it if anything is dropped; may be nil

	in    io.Writer
	close func() error
}

// newOutput returns an output that keeps max bytes. Without a guard nothing is hidden: nothing was given.
func newOutput(b bind.Binder, max int) *output {
	o := &output{half: max / 2, close: func() error { return nil }}
	o.in = writerFunc(o.keep)
	if b != nil {
		w := b.Holder().NewWriter(writerFunc(o.keep))
		o.in, o.close = w, w.Close
	}
	return o
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func (o *output) Write(p []byte) (int, error) { return o.in.Write(p) }

func (o *output) keep(p []byte) (int, error) {
	n := len(p)
	o.total += int64(n)
	if o.dropped > 0 {
		o.spool.write(p)
	}
	if room := o.half - len(o.head); room > 0 {
		room = min(room, len(p))
		o.head, p = append(o.head, p[:room]...), p[room:]
	}
	if o.dropped == 0 && len(p) > o.half-len(o.tail) {
		o.spool.write(o.head, o.tail, p) // from here on something is dropped
	}
	if over := len(p) - o.half; over > 0 { // only its end can stay
		o.dropped += int64(over)
		p = p[over:]
	}
	if room := o.half - len(o.tail); room > 0 {
		room = min(room, len(p))
		o.tail, p = append(o.tail, p[:room]...), p[room:]
	}
	o.dropped += int64(len(p))
	for len(p) > 0 {
		copied := copy(o.tail[o.start:], p)
		o.start, p = (o.start+copied)%len(o.tail), p[copied:]
	}
	return n, nil
}

// written is how much was written, 0 if that is what bytes returns.
func (o *output) written() int64 {
	if o.dropped == 0 {
		return 0
	}
	return o.total
}

// bytes returns what was written, never nil. Nothing may be written any more.
func (o *output) bytes() ([]byte, error) {
	if err := o.close(); err != nil {
		return nil, withheld("the output of the command could not be searched for secrets; the command has run", keepOut)
	}
	out := notNil(bytes.Clone(o.head))
	kept := o.spool.close()
	if o.dropped > 0 {
		out = fmt.Appendf(out, "\n[... %d bytes left out%s ...]\n", o.dropped, kept)
	}
	return append(append(out, o.tail[o.start:]...), o.tail[:o.start]...), nil
}

// bounded keeps an archive up to a size.
type bounded struct {
	buf  bytes.Buffer
	max  int
	over bool
}

var errTooLong = errors.New("sandboxhost: too long")

func (b *bounded) Write(p []byte) (int, error) {
	if b.buf.Len()+len(p) > b.max {
		b.over = true
		return 0, errTooLong
	}
	return b.buf.Write(p)
}
