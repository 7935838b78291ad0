package local_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// BenchmarkStart compares the start of a command in a sandbox with that of a process: by the median, since other work on the
// machine makes some of them much longer. The memory that the worker has must make no difference.
func BenchmarkStart(b *testing.B) {
	timed := func(b *testing.B, start func() error) {
		b.Helper()
		var took []time.Duration
		for b.Loop() {
			begun := time.Now()
			if err := start(); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(begun))
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2])/1e6, "median-ms")
		b.ReportMetric(float64(took[0])/1e6, "least-ms")
	}
	b.Run("exec", func(b *testing.B) {
		timed(b, func() error { return exec.CommandContext(b.Context(), "/usr/bin/true").Run() })
	})
	for _, bench := range []struct {
		name     string
		launcher local.Launcher
		memory   int // of the worker, in bytes
	}{
		{"unisolated", local.Unisolated, 0},
		{"native", local.Native, 0},
		{"native, worker of 512 MiB", local.Native, 512 << 20},
		{"bwrap", local.Bubblewrap, 0},
	} {
		b.Run(bench.name, func(b *testing.B) {
			ballast := bytes.Repeat([]byte{1}, bench.memory)
			defer runtime.KeepAlive(ballast)
			be, err := local.New(local.Options{Dir: filepath.Join(b.TempDir(), "b"), Launcher: bench.launcher})
			if err != nil {
				b.Logf("%v", err)
				return
			}
			b.Cleanup(func() { _ = be.Close() })
			s, err := be.Create(b.Context(), backend.Spec{ID: id, Manifest: sandbox.Manifest{}})
			if err != nil {
				b.Fatal(err)
			}
			if err := s.Start(b.Context()); err != nil {
				b.Fatal(err)
			}
			timed(b, func() error {
				r, err := s.Exec(b.Context(), backend.Command{Args: []string{"/usr/bin/true"}})
				if err == nil && r.ExitCode != 0 {
					err = fmt.Errorf("exit code %d", r.ExitCode)
				}
				return err
			})
		})
	}
}
