package main

import (
	"fmt"
	"io"
	"sync"

	"go.temporal.io/sdk/log"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// A journal keeps all that the SDK, the guard and workflow code log, and shows
// it while it is written when to is set.
type journal struct {
	kept harness.Log
	mu   sync.Mutex
	to   io.Writer
}

var _ log.Logger = (*journal)(nil)

func (j *journal) Debug(msg string, kv ...any) { j.kept.Debug(msg, kv...); j.show("DEBUG", msg, kv) }
func (j *journal) Info(msg string, kv ...any)  { j.kept.Info(msg, kv...); j.show("INFO", msg, kv) }
func (j *journal) Warn(msg string, kv ...any)  { j.kept.Warn(msg, kv...); j.show("WARN", msg, kv) }
func (j *journal) Error(msg string, kv ...any) { j.kept.Error(msg, kv...); j.show("ERROR", msg, kv) }

func (j *journal) show(level, msg string, kv []any) {
	if j.to == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	fmt.Fprintln(j.to, append([]any{level, msg}, kv...)...)
}
