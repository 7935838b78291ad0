package zapguard_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/sandboxguard/sandboxguard/interceptor/zapguard"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// newSet returns a set with one value, shown as [redacted:c].
func newSet(tb testing.TB, value string) *redact.Set {
	tb.Helper()
	set := redact.NewSet()
	if err := set.Add("c", value); err != nil {
		tb.Fatal(err)
	}
	return set
}

// guarded returns a logger that writes JSON lines to the buffer through a guard.
func guarded(tb testing.TB, r zapguard.Redactor, out *bytes.Buffer, opts ...zap.Option) *zap.Logger {
	tb.Helper()
	config := zap.NewProductionEncoderConfig()
	config.TimeKey = ""
	core := zapcore.NewCore(zapcore.NewJSONEncoder(config), zapcore.AddSync(out), zapcore.DebugLevel)
	return zap.New(zapguard.NewCore(core, r), opts...)
}

func TestEntry(t *testing.T) {
	canary := secretstest.Canary(t)
	var out bytes.Buffer
	logger := guarded(t, newSet(t, canary), &out, zap.AddStacktrace(zapcore.DebugLevel)).Named("n-" + canary)
	logger.Info("message with "+canary, zap.String("key-"+canary, "value"), zap.Stack(canary))
	secretstest.AssertAbsent(t, []string{canary}, out.Bytes())
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got["msg"] != "message with [redacted:c]" || got["logger"] != "n-[redacted:c]" || got["key-[redacted:c]"] != "value" {
		t.Errorf("%s", out.String())
	}
	if _, ok := got["stacktrace"]; !ok {
		t.Errorf("no stack trace in %s", out.String())
	}
}

// TestStack checks that the stack, which a logger adds once the core has agreed to an entry, is redacted.
func TestStack(t *testing.T) {
	const frame = "zapguard_test.TestStack"
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	for name, tee := range map[string]bool{"plain core": false, "tee": true} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			core := zapcore.NewCore(encoder, zapcore.AddSync(&out), zapcore.DebugLevel)
			if tee {
				core = zapcore.NewTee(core, zapcore.NewCore(encoder, zapcore.AddSync(&out), zapcore.DebugLevel))
			}
			zap.New(zapguard.NewCore(core, newSet(t, frame)), zap.AddStacktrace(zapcore.DebugLevel)).Info("m", zap.Int("n", 1))
			secretstest.AssertAbsent(t, []string{frame}, out.Bytes())
			if !strings.Contains(out.String(), "[redacted:c]") {
				t.Errorf("no stack in %s", out.String())
			}
		})
	}
}

// TestHooks checks that what stands around the guard, and is told what was written, is told it redacted.
func TestHooks(t *testing.T) {
	canary := secretstest.Canary(t)
	var out, seen bytes.Buffer
	guarded(t, newSet(t, canary), &out, zap.Hooks(func(e zapcore.Entry) error {
		seen.WriteString(e.Message)
		return nil
	})).Named(canary).Info("with " + canary)
	secretstest.AssertAbsent(t, []string{canary}, out.Bytes(), seen.Bytes())
	if seen.String() != "with [redacted:c]" {
		t.Errorf("the hook saw %q", seen.String())
	}
}

// TestInsideTee checks a guard that is one of several cores: the entry is the one that another core agreed to.
func TestInsideTee(t *testing.T) {
	canary := secretstest.Canary(t)
	var out bytes.Buffer
	outer, logs := observer.New(zapcore.DebugLevel)
	zap.New(zapcore.NewTee(outer, guarded(t, newSet(t, canary), &out).Core())).Named(canary).Info("with "+canary, zap.String("k", canary))
	secretstest.AssertAbsent(t, []string{canary}, out.Bytes())
	if logs.Len() != 1 || strings.Count(out.String(), "[redacted:c]") != 3 {
		t.Errorf("%d entries outside, %s", logs.Len(), out.String())
	}
}

// TestLongLine checks each place of a line with many fields, of which only so many are looked at together.
func TestLongLine(t *testing.T) {
	canary := secretstest.Canary(t)
	for _, place := range []int{0, 1, 10, 11, 12, 22, 23, 24, 39} {
		for _, inKey := range []bool{false, true} {
			fields := make([]zapcore.Field, 40)
			for i := range fields {
				fields[i] = zap.String("key", "value")
			}
			if fields[place] = zap.String("key", canary); inKey {
				fields[place] = zap.Bool(canary, true)
			}
			var out bytes.Buffer
			guarded(t, newSet(t, canary), &out).Info("m", fields...)
			secretstest.AssertAbsent(t, []string{canary}, out.Bytes())
			if strings.Count(out.String(), "[redacted:c]") != 1 {
				t.Errorf("field %d, key %v: %s", place, inKey, out.String())
			}
		}
	}
}

// TestPanicText checks that the text which a logger panics with is redacted, too.
func TestPanicText(t *testing.T) {
	canary := secretstest.Canary(t)
	var out bytes.Buffer
	defer func() {
		text := fmt.Sprint(recover())
		secretstest.AssertAbsent(t, []string{canary}, []byte(text), out.Bytes())
		if text != "failed with [redacted:c]" {
			t.Errorf("panic(%q)", text)
		}
	}()
	guarded(t, newSet(t, canary), &out).Panic("failed with " + canary)
}

// TestWith checks the ways to bind fields to a logger, and that values which are registered later count for
// later lines.
func TestWith(t *testing.T) {
	canary, later := secretstest.Canary(t), secretstest.Canary(t)
	set := newSet(t, canary)
	var out bytes.Buffer
	logger := guarded(t, set, &out, zap.Fields(zap.String("fields", canary)))
	logger.With(zap.Any("with", map[string]string{canary: canary})).Info("one")
	logger.WithLazy(zap.Error(errors.New(canary))).Info("two")
	logger.Sugar().With("sugar", canary).Infow("three", "k", canary)
	logger.Sugar().Infof("four %s", canary)
	if err := set.Add("later", later); err != nil {
		t.Fatal(err)
	}
	logger.Info("five " + later)
	if n := strings.Count(out.String(), "\n"); n != 5 {
		t.Errorf("%d lines, want 5", n)
	}
	secretstest.AssertAbsent(t, []string{canary, later}, out.Bytes())
}

// TestCleanFieldsUntouched checks that fields without a value reach the core as they were.
func TestCleanFieldsUntouched(t *testing.T) {
	core, logs := observer.New(zapcore.DebugLevel)
	logger := zap.New(zapguard.NewCore(core, newSet(t, secretstest.Canary(t))))
	fields := []zapcore.Field{
		zap.String("s", "x"), zap.Int("i", 7), zap.Duration("d", time.Second), zap.Bool("b", true), zap.Binary("raw", []byte{1}),
		zap.Namespace("n"), zap.Float64("f", 1.5), zap.Time("t", time.Unix(0, 0)), zap.Complex64("c", 1i), zap.Skip(),
	}
	logger.Info("message", fields...)
	want := []observer.LoggedEntry{{Entry: zapcore.Entry{Message: "message"}, Context: fields}}
	got := logs.TakeAll()
	got[0].Time = time.Time{}
	sameZone := cmp.Comparer(func(a, b *time.Location) bool { return a == b })
	if diff := cmp.Diff(want, got, sameZone); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDecisions checks that the core behind the guard decides on levels, samples and tees as it would
// without one.
func TestDecisions(t *testing.T) {
	canary := secretstest.Canary(t)
	debug, debugLogs := observer.New(zapcore.DebugLevel)
	errorsOnly, errorLogs := observer.New(zapcore.ErrorLevel)
	sampled, sampledLogs := observer.New(zapcore.DebugLevel)
	tee := zapcore.NewTee(debug, errorsOnly, zapcore.NewSamplerWithOptions(sampled, time.Hour, 1, 0))
	core := zapguard.NewCore(tee, newSet(t, canary))
	logger := zap.New(core)
	for range 3 {
		logger.Debug("debug " + canary)
		logger.Error("error")
	}
	if d, e, s := debugLogs.Len(), errorLogs.Len(), sampledLogs.Len(); d != 6 || e != 3 || s != 2 {
		t.Errorf("%d, %d and %d entries, want 6, 3 and 2", d, e, s)
	}
	for _, entry := range debugLogs.TakeAll() {
		secretstest.AssertAbsent(t, []string{canary}, []byte(entry.Message))
	}
	quiet := zapguard.NewCore(errorsOnly, newSet(t, canary))
	if zapcore.LevelOf(quiet) != zapcore.ErrorLevel || quiet.Enabled(zapcore.InfoLevel) || quiet.With(nil).Enabled(zapcore.InfoLevel) {
		t.Error("the level of the core behind the guard does not count")
	}
	if ce := quiet.Check(zapcore.Entry{Level: zapcore.InfoLevel}, nil); ce != nil {
		t.Error("Check agreed to an entry below the level")
	}
	if ce := zap.New(zapguard.NewCore(zapcore.NewNopCore(), newSet(t, canary))).Check(zapcore.ErrorLevel, "x"); ce != nil {
		t.Error("Check agreed to an entry that nobody writes")
	}
}

// TestWriteWithoutCheck covers cores that are written to directly.
func TestWriteWithoutCheck(t *testing.T) {
	canary := secretstest.Canary(t)
	core, logs := observer.New(zapcore.ErrorLevel)
	entry := zapcore.Entry{Message: canary, LoggerName: canary, Stack: canary}
	if err := zapguard.NewCore(core, newSet(t, canary)).Write(entry, []zapcore.Field{zap.String(canary, canary)}); err != nil {
		t.Fatal(err)
	}
	secretstest.AssertAbsent(t, []string{canary}, fmt.Appendf(nil, "%+v", logs.TakeAll()))
}

// TestWriteErrors checks that errors of the core come back to the logger, redacted.
func TestWriteErrors(t *testing.T) {
	canary := secretstest.Canary(t)
	var reported bytes.Buffer
	core := zapguard.NewCore(brokenCore{text: "disk full: " + canary}, newSet(t, canary))
	logger := zap.New(core, zap.ErrorOutput(zapcore.AddSync(&reported)))
	logger.Info("one")
	if got := reported.String(); !strings.HasSuffix(got, "write error: zapguard: disk full: [redacted:c]\n") {
		t.Errorf("reported %q", got)
	}
	reported.Reset()
	logger.Info("two")
	if got := reported.String(); strings.Count(got, "disk full") != 1 {
		t.Errorf("reported %q: the first error was kept", got)
	}
	if err := core.Sync(); err == nil {
		t.Error("Sync lost the error")
	}
}

// TestWriterErrors is TestWriteErrors for a plain core, whose writer says what it failed with.
func TestWriterErrors(t *testing.T) {
	var reported bytes.Buffer
	broken := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), failingWriter{}, zapcore.DebugLevel)
	zap.New(zapguard.NewCore(broken, newSet(t, "u:hunter2")), zap.ErrorOutput(zapcore.AddSync(&reported))).Info("one")
	if got := reported.String(); !strings.HasSuffix(got, "write error: zapguard: post to https://[redacted:c]@logs failed\n") {
		t.Errorf("reported %q", got)
	}
}

// brokenCore fails to write and to sync.
type brokenCore struct{ text string }

func (brokenCore) Enabled(zapcore.Level) bool                   { return true }
func (c brokenCore) With([]zapcore.Field) zapcore.Core          { return c }
func (c brokenCore) Write(zapcore.Entry, []zapcore.Field) error { return errors.New(c.text) }
func (c brokenCore) Sync() error                                { return errors.New(c.text) }
func (c brokenCore) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	return ce.AddCore(e, c)
}

func TestNewCorePanics(t *testing.T) {
	for name, make := range map[string]func(){
		"no core":     func() { zapguard.NewCore(nil, redact.NewSet()) },
		"no redactor": func() { zapguard.NewCore(zapcore.NewNopCore(), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic: the logger would not be guarded")
				}
			}()
			make()
		})
	}
}

func TestConcurrency(t *testing.T) {
	canary := secretstest.Canary(t)
	core, logs := observer.New(zapcore.DebugLevel)
	logger := zap.New(zapguard.NewCore(core, newSet(t, canary)))
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 100 {
				text := fmt.Sprintf("%d-%d", i, j)
				logger.Named(text).Info(text+" "+canary, zap.String("k", text), zap.Int64("n", int64(1000+j)))
			}
		})
	}
	group.Wait()
	entries := logs.TakeAll()
	if len(entries) != 800 {
		t.Fatalf("%d entries", len(entries))
	}
	for _, e := range entries {
		if e.Message != e.LoggerName+" [redacted:c]" || e.ContextMap()["k"] != e.LoggerName {
			t.Fatalf("entries were mixed up: %+v", e)
		}
	}
}
