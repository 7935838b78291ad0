package local_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// reuse is the first process of a namespace of process ids, where it can give an id to another process. It has a group
// killed of which the leader is over, and its id another's, once it was looked at. It prints how the other one ends.
func reuse() {
	first, _, err := leader(0)
	if err != nil {
		panic(err)
	}
	group := first.Process.Pid
	second := first
	var hold io.Closer
	local.KillGroup(group, func() bool {
		for tries := 0; second == first || err == nil && second.Process.Pid != group && tries < 1000; tries++ { // a thread may be faster
			_ = second.Process.Kill()
			_ = second.Wait()
			second, hold, err = leader(group)
		}
		return true
	})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		fmt.Print("cannot give an id again")
	case err != nil || second.Process.Pid != group:
		fmt.Printf("did not get the id: %v", err)
	default:
		err = errors.Join(hold.Close(), second.Wait())
		fmt.Printf("ended with %v", err)
	}
}

// leader starts a process that leads a group, and ends by itself when it is let go. It has an id if that is not 0.
func leader(pid int) (cmd *exec.Cmd, hold io.Closer, err error) {
	if pid > 0 {
		if err := os.WriteFile("/proc/sys/kernel/ns_last_pid", []byte(strconv.Itoa(pid-1)), 0); err != nil {
			return nil, nil, err
		}
	}
	cmd = exec.Command("cat")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if hold, err = cmd.StdinPipe(); err != nil {
		return nil, nil, err
	}
	return cmd, hold, cmd.Start()
}

// TestReusedGroup checks that a group which got the id of the one that is to be killed, after the last look at that, is
// left alone where the kernel can hold groups.
func TestReusedGroup(t *testing.T) {
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(self) }()
	const signalGroup = 1 << 2
	if err := unix.PidfdSendSignal(self, 0, nil, signalGroup); errors.Is(err, unix.EINVAL) || refused(t, local.Native) {
		return
	}
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe")
	cmd.Env = append(os.Environ(), part+"=reuse")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil && string(out) == "cannot give an id again":
		t.Log("this host lets nobody give ids")
	case err != nil || string(out) != "ended with <nil>":
		t.Errorf("the other group %s, %v", out, err)
	}
}

// TestKillGroup checks that a group is killed while it is the one that is meant, also when its leader is over.
func TestKillGroup(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		still  bool
		ends   bool
	}{
		"it is":                  {"echo; read x", true, true},
		"it is not":              {"echo; read x", false, false},
		"its leader is over":     {"(echo; read x <&3) & exit", true, true},
		"its leader is over, no": {"(echo; read x <&3) & exit", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			in, hold, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = hold.Close() }()
			read, end, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = read.Close() }()
			cmd := exec.CommandContext(t.Context(), "sh", "-c", "exec 3<&0; "+c.script)
			cmd.Stdin, cmd.Stdout, cmd.SysProcAttr = in, end, &syscall.SysProcAttr{Setpgid: true}
			if err := errors.Join(cmd.Start(), in.Close(), end.Close()); err != nil {
				t.Fatal(err)
			}
			group := cmd.Process.Pid
			if _, err := read.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(c.script, "exit") {
				_ = cmd.Wait()
			}
			local.KillGroup(group, func() bool { return c.still })
			if c.ends {
				// The last of the group closes the pipe.
				if n, err := read.Read(make([]byte, 1)); n != 0 || err == nil {
					t.Errorf("read %d, %v", n, err)
				}
			} else if err := unix.Kill(-group, 0); err != nil {
				t.Errorf("the group is gone: %v", err)
			}
			_ = unix.Kill(-group, unix.SIGKILL)
			_ = cmd.Wait()
		})
	}
}
