package zapguard_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sandboxguard/sandboxguard/interceptor/zapguard"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// plainCore writes JSON to nowhere.
func plainCore() zapcore.Core {
	return zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(io.Discard), zapcore.InfoLevel)
}

// guardedCore is a plainCore that looks for n values.
func guardedCore(tb testing.TB, n int) zapcore.Core {
	tb.Helper()
	set := redact.NewSet()
	for i := range n {
		if err := set.Add("v", fmt.Sprintf("%d-value-of-a-secret-%d", 1000003*i, i)); err != nil {
			tb.Fatal(err)
		}
	}
	return zapguard.NewCore(plainCore(), set)
}

// line logs what a worker logs most.
func line(logger *zap.Logger) {
	logger.Info("activity completed",
		zap.String("ActivityType", "StartJob"),
		zap.String("WorkflowID", "anomaly-report-2026-10"),
		zap.String("RunID", "0d9b7f5e-6f0c-4f9a-8a53-2f6f4a3c9b10"),
		zap.Int("Attempt", 1),
		zap.Int64("Bytes", 1234567),
		zap.Bool("Local", false))
}

func BenchmarkLine(b *testing.B) {
	for _, bench := range []struct {
		name string
		core zapcore.Core
	}{{"plain", plainCore()}, {"10 values", guardedCore(b, 10)}, {"1000 values", guardedCore(b, 1000)}} {
		b.Run(bench.name, func(b *testing.B) {
			logger := zap.New(bench.core)
			b.ReportAllocs()
			for b.Loop() {
				line(logger)
			}
		})
	}
}

func BenchmarkRendered(b *testing.B) {
	err, object := errors.New("connection refused"), loggable{text: "x"}
	for _, bench := range []struct {
		name string
		core zapcore.Core
	}{{"plain", plainCore()}, {"10 values", guardedCore(b, 10)}} {
		b.Run(bench.name, func(b *testing.B) {
			logger := zap.New(bench.core)
			b.ReportAllocs()
			for b.Loop() {
				logger.Info("m", zap.Error(err), zap.Object("o", object), zap.Any("r", map[string]int{"k": 1}))
			}
		})
	}
}

// TestAllocations pins that a line without a value costs no allocation beyond those of zap.
func TestAllocations(t *testing.T) {
	plain, guarded := zap.New(plainCore()), zap.New(guardedCore(t, 100))
	want := testing.AllocsPerRun(200, func() { line(plain) })
	got := testing.AllocsPerRun(200, func() { line(guarded) })
	if got > want+slack {
		t.Errorf("%v allocations a line, want %v", got, want)
	}
	quiet := testing.AllocsPerRun(200, func() { guarded.Debug("below the level") })
	if quiet > 0 {
		t.Errorf("%v allocations for a line below the level", quiet)
	}
}
