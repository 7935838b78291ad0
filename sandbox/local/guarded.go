package local

import (
	"context"
	"io"
	"sync"
)

// guardedWriter ends the command when a write fails.
type guardedWriter struct {
	w    io.Writer
	fail context.CancelCauseFunc
	once sync.Once
}

func (g *guardedWriter) Write(data []byte) (int, error) {
	n, err := g.w.Write(data)
	if err != nil {
		g.once.Do(func() { g.fail(&writeError{what: "the output of the command", err: err}) })
	}
	return n, err
}
