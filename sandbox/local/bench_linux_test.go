package local_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// BenchmarkStart compares the start of a command in a sandbox with that of a process.
func BenchmarkStart(b *testing.B) {
	b.Run("exec", func(b *testing.B) {
		for b.Loop() {
			if err := exec.CommandContext(b.Context(), "/usr/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, l := range []local.Launcher{local.Native, local.Unisolated} {
		b.Run(l.String(), func(b *testing.B) {
			be, err := local.New(local.Options{Dir: filepath.Join(b.TempDir(), "b"), Launcher: l})
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = be.Close() })
			s, err := be.Create(b.Context(), backend.Spec{ID: id, Manifest: sandbox.Manifest{}})
			if err != nil {
				b.Fatal(err)
			}
			if err := s.Start(b.Context()); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if r, err := s.Exec(b.Context(), backend.Command{Args: []string{"/usr/bin/true"}}); err != nil || r.ExitCode != 0 {
					b.Fatal(r, err)
				}
			}
		})
	}
}
