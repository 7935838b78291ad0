package main

import (
	"io"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sandboxguard/sandboxguard/interceptor/zapguard"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

func plainCore() zapcore.Core {
	return zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(io.Discard), zapcore.InfoLevel)
}

func guardedCore(hidden *redact.Set) zapcore.Core { return zapguard.NewCore(plainCore(), hidden) }

// line logs what a worker logs most.
func line(logger *zap.Logger) {
	logger.Info("activity completed", zap.String("ActivityType", "StartJob"), zap.String("WorkflowID", "anomaly-report-2026-10"),
		zap.String("RunID", "0d9b7f5e-6f0c-4f9a-8a53-2f6f4a3c9b10"), zap.Int("Attempt", 1), zap.Int64("Bytes", 1234567), zap.Bool("Local", false))
}

// lineItems are lines of a log.
func lineItems(r *report) error {
	if !r.wants("P7") {
		return nil
	}
	plain := zap.New(plainCore())
	for _, n := range []int{10, 1000} {
		set, err := known(n)
		if err != nil {
			return err
		}
		guarded := zap.New(guardedCore(set))
		name := counted("log line", n, "values")
		extra := func() float64 {
			return testing.AllocsPerRun(1000, func() { line(guarded) }) - testing.AllocsPerRun(1000, func() { line(plain) })
		}
		r.count("P7", name, extra, 0, "allocs more than plain")
		r.measure(pair{
			id: "P7", name: name + "/plain", bar: 1.25,
			candidate: func() { line(guarded) }, yardstick: func() { line(plain) },
		})
	}
	return nil
}
