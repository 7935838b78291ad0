package zapguard

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"sync"

	"go.uber.org/zap/zapcore"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// Redactor replaces secret values in text. Its methods are called by several goroutines at a time. They
// return the input itself and 0 if there is nothing to redact, and must not keep or change it.
//
// If it also has a method JSON(in []byte) (out []byte, hits int) that keeps JSON valid, as the set of
// package secrets/redact does, that is used for values which are rendered to JSON.
type Redactor interface {
	String(in string) (out string, hits int)
	Bytes(in []byte) (out []byte, hits int)
}

// NewCore returns a core that redacts all entries and fields with r before core sees them. Whether an entry
// is written is still decided by core: levels, sampling and tees behave as without the guard. Lines without
// a value cost no further allocation, apart from fields that have to be rendered to be looked into.
//
// NewCore panics if core or r is nil, since a logger that silently drops either would go unnoticed.
func NewCore(core zapcore.Core, r Redactor) zapcore.Core {
	if core == nil || r == nil {
		panic("zapguard: NewCore needs a core and a redactor")
	}
	return newCore(core, newGuard(r))
}

// guardedCore is what NewCore returns.
type guardedCore struct {
	inner zapcore.Core
	guard *guard
	// plain is true for a core that agrees to whatever its level lets through, and writes it by itself: there is
	// nothing to ask it then. Any other may sample, or name cores of its own.
	plain bool
}

// typePlain is the type of the cores that [zapcore.NewCore] makes.
var typePlain = reflect.TypeOf(zapcore.NewCore(zapcore.NewJSONEncoder(zapcore.EncoderConfig{}), zapcore.AddSync(io.Discard), zapcore.InfoLevel))

func newCore(core zapcore.Core, g *guard) *guardedCore {
	return &guardedCore{inner: core, guard: g, plain: reflect.TypeOf(core) == typePlain}
}

// Enabled and Level are those of the core behind the guard.
func (c *guardedCore) Enabled(level zapcore.Level) bool { return c.inner.Enabled(level) }
func (c *guardedCore) Level() zapcore.Level             { return zapcore.LevelOf(c.inner) }

func (c *guardedCore) Sync() error { return c.inner.Sync() }

func (c *guardedCore) With(fields []zapcore.Field) zapcore.Core {
	return newCore(c.inner.With(c.guard.fields(fields)), c.guard)
}

// Check asks the core behind the guard with an entry of its own. So that core can decide, and name the
// cores that are to write, while the logger gets to see the guard only. The entry is redacted already here,
// since hooks and panics show its message.
func (c *guardedCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if !c.inner.Enabled(entry.Level) {
		return checked
	}
	c.guard.entry(&entry)
	if c.plain {
		return checked.AddCore(entry, c)
	}
	behind := c.inner.Check(entry, nil)
	if behind == nil {
		return checked
	}
	w := c.guard.writer()
	w.core, w.behind = c, behind
	return checked.AddCore(entry, w)
}

// Write is for plain cores, and for those who call it without Check.
func (c *guardedCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	fields = c.guard.line(&entry, fields)
	if err := c.inner.Write(entry, fields); err != nil {
		return c.guard.failed(err.Error())
	}
	return nil
}

// entryWriter writes one entry that the core behind the guard has agreed to. It is a core since that is what
// an entry is handed to, and is used again after Write.
type entryWriter struct {
	core    *guardedCore
	behind  *zapcore.CheckedEntry
	failure failure
}

func (w *entryWriter) Enabled(level zapcore.Level) bool         { return w.core.Enabled(level) }
func (w *entryWriter) With(fields []zapcore.Field) zapcore.Core { return w.core.With(fields) }
func (w *entryWriter) Sync() error                              { return w.core.Sync() }
func (w *entryWriter) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	return w.core.Check(e, ce)
}

func (w *entryWriter) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	g, behind := w.core.guard, w.behind
	fields = g.line(&entry, fields)
	behind.Entry = entry
	behind.ErrorOutput = &w.failure
	behind.Write(fields...)
	text := w.failure.text
	*w = entryWriter{}
	g.writers.Put(w)
	if text == "" {
		return nil
	}
	return g.failed(text)
}

// failure keeps what an entry reports of cores that failed to write.
type failure struct{ text string }

func (f *failure) Write(report []byte) (int, error) {
	text := strings.TrimSpace(string(report))
	if _, reason, ok := strings.Cut(text, "write error: "); ok {
		text = reason // the logger reports the time once more
	}
	f.text = text
	return len(report), nil
}

func (f *failure) Sync() error { return nil }

// guard is what the cores made of one another share.
type guard struct {
	r       Redactor
	set     *redact.Set                // nil if the redactor is something else
	json    func([]byte) ([]byte, int) // nil if the redactor has no such method
	writers sync.Pool                  // *entryWriter
	digits  sync.Pool                  // *[]byte
}

func newGuard(r Redactor) *guard {
	g := &guard{r: r}
	g.set, _ = r.(*redact.Set)
	if j, ok := r.(interface {
		JSON(in []byte) (out []byte, hits int)
	}); ok {
		g.json = j.JSON
	}
	return g
}

func (g *guard) writer() *entryWriter {
	if w, ok := g.writers.Get().(*entryWriter); ok {
		return w
	}
	return new(entryWriter)
}

// failed is what a core says of why it could not write.
func (g *guard) failed(text string) error {
	text, _ = g.r.String(text)
	return errors.New("zapguard: " + text)
}
