package sandboxhost

import (
	"errors"
	"io"
	"sync"

	"github.com/sandboxguard/sandboxguard/internal/bind"
)

// A transcript is what a command at a terminal has put out and nobody was told yet: hidden as it comes, so that a
// secret is found whatever calls it falls between. What may be the beginning of one waits for what follows, or for
// the end. A long transcript loses its middle: as text, of which bytes that are none take three times as much.
type transcript struct {
	max int

	mu     sync.Mutex
	unread *output
	in     io.Writer
	close  func() error
	failed error
}

// newTranscript returns one that keeps max bytes. Without a guard nothing is hidden: nothing was given.
func newTranscript(b bind.Binder, max int) *transcript {
	t := &transcript{max: max, unread: newOutput(nil, max)}
	as := &decoder{to: writerFunc(func(p []byte) (int, error) { return t.unread.keep(p) })}
	t.in, t.close = as, as.Close
	if b != nil {
		w := b.Holder().NewWriter(as)
		t.in, t.close = w, func() error { return errors.Join(w.Close(), as.Close()) }
	}
	return t
}

// Write adds output.
func (t *transcript) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := t.in.Write(p)
	if err != nil {
		t.failed = err
	}
	return n, err
}

// take returns what nobody was told yet, and forgets it. Nothing may be written after the last call.
func (t *transcript) take(last bool) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.failed; err != nil || last && t.close() != nil {
		return nil, withheld("the output of the command could not be searched for secrets; the command has run", keepOut)
	}
	out, err := t.unread.bytes()
	t.unread = newOutput(nil, t.max)
	return out, err
}
