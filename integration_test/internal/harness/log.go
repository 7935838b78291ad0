package harness

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"go.temporal.io/sdk/log"
)

// Log is a logger that keeps every line, so that a test can search what a
// worker logged. The zero value is ready. It is safe for concurrent use.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

var _ log.Logger = (*Log)(nil)

// Debug keeps one line.
func (l *Log) Debug(msg string, keyvals ...any) { l.write("DEBUG", msg, keyvals) }

// Info keeps one line.
func (l *Log) Info(msg string, keyvals ...any) { l.write("INFO", msg, keyvals) }

// Warn keeps one line.
func (l *Log) Warn(msg string, keyvals ...any) { l.write("WARN", msg, keyvals) }

// Error keeps one line.
func (l *Log) Error(msg string, keyvals ...any) { l.write("ERROR", msg, keyvals) }

// Bytes returns a copy of all that was logged so far.
func (l *Log) Bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.text.Bytes())
}

// write renders each value by both verbs that loggers commonly use, since a
// value may hide itself from one of them only.
func (l *Log) write(level, msg string, keyvals []any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(&l.text, "%s %s", level, msg)
	for i := 0; i < len(keyvals); i += 2 {
		if i+1 == len(keyvals) {
			fmt.Fprintf(&l.text, " %v", keyvals[i])
			break
		}
		fmt.Fprintf(&l.text, " %v=%v|%+v", keyvals[i], keyvals[i+1], keyvals[i+1])
	}
	l.text.WriteByte('\n')
}

// Discard is a logger that keeps nothing.
func Discard() log.Logger { return discard{} }

type discard struct{}

func (discard) Debug(string, ...any) {}
func (discard) Info(string, ...any)  {}
func (discard) Warn(string, ...any)  {}
func (discard) Error(string, ...any) {}
