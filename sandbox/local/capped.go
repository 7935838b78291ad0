package local

import (
	"io"
	"sync"
)

// capped takes what a command writes to its outputs, up to a limit for both. What comes after is taken and dropped: a
// command that prints too much goes on.
type capped struct {
	mu      sync.Mutex
	left    int64
	dropped bool
}

// writer is one of the outputs.
func (c *capped) writer(to io.Writer) io.Writer { return &cappedWriter{c, to} }

type cappedWriter struct {
	c  *capped
	to io.Writer
}

func (w *cappedWriter) Write(data []byte) (int, error) {
	if n, err := w.to.Write(data[:w.c.take(len(data))]); err != nil {
		return n, err
	}
	return len(data), nil
}

// take reports how many of n bytes may still be kept.
func (c *capped) take(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := min(int64(n), c.left)
	c.left -= kept
	c.dropped = c.dropped || kept < int64(n)
	return int(kept)
}

// reached reports whether anything was dropped.
func (c *capped) reached() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropped
}
