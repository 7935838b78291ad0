package local_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// BenchmarkStart compares the start of a command in a sandbox with that of a process: by the median, since other work on the
// machine makes some of them much longer.
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
	for _, l := range []local.Launcher{local.Unisolated, local.Native, local.Bubblewrap} {
		b.Run(l.String(), func(b *testing.B) {
			be, err := local.New(local.Options{Dir: filepath.Join(b.TempDir(), "b"), Launcher: l})
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
