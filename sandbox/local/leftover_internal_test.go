//go:build linux || darwin

package local

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// TestEndRecorded checks that a noted process is ended with its group if it is still the one that was noted, even when
// it hides its environment, and is left alone if another has its id by now.
func TestEndRecorded(t *testing.T) {
	for _, c := range []struct {
		name  string
		start func(pid int) string
		ends  bool
	}{
		{"same", startOf, true},
		{"another", func(pid int) string { return startOf(pid) + "0" }, false},
		{"unknown", func(int) string { return "" }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			cmd := exec.CommandContext(t.Context(), "sleep", "1000")
			cmd.Env = []string{}
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			pid := cmd.Process.Pid
			record := filepath.Join(dir, strconv.Itoa(pid))
			if err := os.WriteFile(record, []byte(c.start(pid)), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := endRecorded(dir); err != nil {
				t.Fatal(err)
			}
			if ended := startOf(pid) == ""; ended != c.ends {
				t.Errorf("ended = %v, want %v", ended, c.ends)
			}
			if _, err := os.Stat(record); err == nil {
				t.Error("the note is still there")
			}
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			if startOf(pid) != "" {
				t.Error("a process that is over has a start")
			}
		})
	}
}
