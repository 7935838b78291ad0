//go:build linux || darwin

package local

import (
	"errors"
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

// TestForgedRecords checks that what a command puts in the place of records neither holds up the end of a sandbox nor
// a command.
func TestForgedRecords(t *testing.T) {
	_, s := newSandbox(t)
	dir := s.dir(recordsName)
	outside := filepath.Join(t.TempDir(), "outside")
	huge, err := os.Create(filepath.Join(dir, "12"))
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(huge.Truncate(1<<40), huge.Close(),
		syscall.Mkfifo(filepath.Join(dir, "11"), 0o600),
		os.WriteFile(filepath.Join(dir, "13"), []byte("closed"), 0),
		os.Symlink("/dev/zero", filepath.Join(dir, "14")),
		os.Mkdir(filepath.Join(dir, "15"), 0),
		syscall.Mkfifo(filepath.Join(dir, "16"), 0o600),
		os.Symlink(outside, filepath.Join(dir, "17")))
	if err != nil {
		t.Fatal(err)
	}
	record(dir, 16, false)()
	record(dir, 17, false)()
	if _, err := os.Lstat(outside); err == nil {
		t.Error("a note was written through a link")
	}
	if err := s.Stop(t.Context()); err != nil {
		t.Errorf("stop: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
