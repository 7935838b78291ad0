package local

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
)

// TestEndStarting checks that what bwrap had only just started is ended after the two of them lost their worker, and
// nothing else of the session, which may be a stranger's by then.
func TestEndStarting(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		ends bool
	}{
		"bwrap":           {[]string{"bwrap", "--args", "18", "--", "/proc/self/fd/4"}, true},
		"others' bwrap":   {[]string{"bwrap", "--args", "18", "--", "/bin/sh"}, false},
		"another program": {[]string{"sleep", "--args", "18", "--", "/proc/self/fd/4"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			in, hold, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _, _ = in.Close(), hold.Close() }()
			cmd := exec.CommandContext(t.Context(), "/proc/self/exe", c.args...)
			cmd.Env, cmd.Stdin = append(os.Environ(), "SANDBOX_LOCAL_TEST_PART=strand"), in
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			out, err := cmd.Output()
			var left int
			if err == nil {
				_, err = fmt.Sscan(string(out), &left)
			}
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(cmd.Process.Pid)), []byte("is over"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := endRecorded(dir); err != nil {
				t.Fatal(err)
			}
			if ended := startOf(left) == ""; ended != c.ends {
				t.Errorf("ended = %v, want %v", ended, c.ends)
			}
			_ = syscall.Kill(left, syscall.SIGKILL)
		})
	}
}
