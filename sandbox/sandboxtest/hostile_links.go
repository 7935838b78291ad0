package sandboxtest

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest/internal/probe"
)

// links lets a command plant links to files of the host in the workspace. Neither may Read and Persist return these,
// nor may Write change them.
func (b *battery) links(t *testing.T) probe.Report {
	t.Helper()
	const id = "links"
	s := b.bare(t, idTwo)
	var planted []string
	for i, file := range b.task.Files {
		for kind, how := range map[string][]string{"hard": nil, "symbolic": {"-s"}} {
			for _, by := range []struct{ name, prefix string }{{"path", ""}, {"root", "/proc/self/root"}} {
				name := fmt.Sprintf("%s-%s-%d", kind, by.name, i)
				args := append(append([]string{"ln"}, how...), "--", by.prefix+file, name)
				if result, err := s.Exec(t.Context(), backend.Command{Args: args, Timeout: wait}); err == nil && result.ExitCode == 0 {
					planted = append(planted, name)
				}
			}
		}
	}
	if len(planted) == 0 {
		return probe.Unknown(id, "no link could be made: the sandbox needs the program ln")
	}
	for _, name := range planted {
		if data, err := s.Read(t.Context(), name); err == nil && bytes.Contains(data, []byte(b.task.Canary)) {
			return probe.Unsafe(id, "the host reads its own file through "+name)
		}
	}
	if bytes.Contains(archived(t, s), []byte(b.task.Canary)) {
		return probe.Unsafe(id, "the archive of the workspace has a file of the host")
	}
	for _, name := range planted {
		_ = s.Write(t.Context(), name, []byte("overwritten"))
	}
	for i, file := range b.task.Files {
		if data, err := os.ReadFile(file); err != nil || string(data) != b.task.Canary { //nolint:gosec // its own file
			_ = os.WriteFile(file, []byte(b.task.Canary), 0o600) // for the checks that follow
			return probe.Unsafe(id, fmt.Sprintf("the host writes to its own file %d through a link", i+1))
		}
	}
	return probe.Safe(id, fmt.Sprintf("%d links", len(planted)))
}
