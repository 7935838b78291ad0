package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

func init() {
	parts["demo"] = func() int { return run(context.Background(), os.Stdout, options{}) }
	parts["refused"] = playRefused
}

// playRefused lets the user namespace that it is in have none below it, and is the demo then.
func playRefused() int {
	_ = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0) // read-only where a container denies more than that
	return parts["demo"]()
}

// TestDemoIsRefused runs the demo where the kernel makes no user namespaces any more: in one that may have none below
// it, or without one if the host denies the first one already.
func TestDemoIsRefused(t *testing.T) {
	demo := func(part string, attributes *syscall.SysProcAttr) (*exec.Cmd, *bytes.Buffer) {
		var out bytes.Buffer
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = []string{demoPart + "=" + part, "TMPDIR=" + t.TempDir()}
		cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = &out, &out, attributes
		return cmd, &out
	}
	own := func(id int) []syscall.SysProcIDMap { return []syscall.SysProcIDMap{{HostID: id, Size: 1}} }
	cmd, out := demo("refused", &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWUSER, UidMappings: own(os.Getuid()), GidMappings: own(os.Getgid()),
	})
	if cmd.Start() != nil {
		if cmd, out = demo("demo", nil); cmd.Start() != nil {
			t.Fatal("the demo cannot be started")
		}
	}
	_ = cmd.Wait() // the exit code is looked at
	wantRefused(t, cmd.ProcessState.ExitCode(), out.String())
	for _, want := range []string{"native cannot isolate on this host, nothing was run: ", " answered "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the refusal does not say %q\n%s", want, out)
		}
	}
}
