package local_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/seccomp"
)

// wantRefusal checks that an error says what is missing and what to do about it, and nothing of the host.
func wantRefusal(t *testing.T, err error, what, remedy string) {
	t.Helper()
	wantRefusalOf(t, local.Native, err, what, remedy)
}

func wantRefusalOf(t *testing.T, l local.Launcher, err error, what, remedy string) {
	t.Helper()
	var failure *backend.Error
	if !errors.As(err, &failure) || failure.Code != backend.ExecTransport || failure.Retryable {
		t.Errorf("error %#v, want a refusal", err)
		return
	}
	form := regexp.MustCompile(`^local: ` + l.String() + ` cannot isolate on this host, nothing was run: ` + regexp.QuoteMeta(what) + ` (failed|answered E[A-Z]+): (.+)$`)
	got := form.FindStringSubmatch(failure.Message)
	if got == nil || !strings.Contains(got[2], remedy) {
		t.Errorf("error %q, want %s, and %q", failure.Message, what, remedy)
	}
	if strings.Contains(failure.Message, filepath.Dir(filepath.Dir(t.TempDir()))) {
		t.Errorf("error %q quotes a path of the host", failure.Message)
	}
}

// TestWithoutInit starts programs whose main does not know what it is started for.
func TestWithoutInit(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	for _, program := range []string{"stay without init", "exit without init"} {
		t.Run(program, func(t *testing.T) {
			dir := t.TempDir()
			before := remainsIn(t, dir)
			b, err := local.New(local.Options{Dir: filepath.Join(dir, "b"), Launcher: local.Native}.With(local.WithoutInit(program)))
			wantRefusal(t, err, "handshake", "local.Init() as the first line of main")
			if b != nil {
				t.Error("New returned a backend")
			}
			wantRemains(t, dir, before)
		})
	}
}

// TestNoInit checks that nothing is started of a program that has not called Init.
func TestNoInit(t *testing.T) {
	local.Agree(false)
	defer local.Agree(true)
	b, err := local.New(local.Options{Dir: filepath.Join(t.TempDir(), "b"), Launcher: local.Native})
	wantRefusal(t, err, "handshake", "local.Init() as the first line of main")
	if b != nil {
		t.Error("New returned a backend")
	}
}

func stayWithoutInit() { _ = unix.Pause() }

// Hosts that lack something are made of this one, in a process that tells what New says there.
var lacking = map[string]struct {
	lack         func() error
	what, remedy string
	launcher     local.Launcher
}{
	"user namespaces by seccomp": {
		lack: func() error {
			filter, err := seccomp.Filter(seccomp.Options{})
			return errors.Join(err, seccomp.Install(filter))
		},
		what: "namespaces", remedy: "user.max_user_namespaces, the container's seccomp profile",
	},
	"user namespaces by number": {
		lack: func() error { return os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0) },
		what: "namespaces", remedy: "user.max_user_namespaces is used up or 0",
	},
	"mount":         {without(unix.SYS_MOUNT), "sources", "allow mount, open_tree and mount_setattr in its seccomp profile", local.Native},
	"open_tree":     {without(unix.SYS_OPEN_TREE), "sources", "allow mount, open_tree and mount_setattr in its seccomp profile", local.Native},
	"mount_setattr": {without(unix.SYS_MOUNT_SETATTR), "sources", "allow mount, open_tree and mount_setattr in its seccomp profile", local.Native},
	"move_mount":    {without(unix.SYS_MOVE_MOUNT), "mounts", "allow move_mount in its seccomp profile", local.Native},
	"pivot_root":    {without(unix.SYS_PIVOT_ROOT), "pivot", "allow pivot_root, umount2 and mount_setattr in its seccomp profile", local.Native},
	"unshare":       {without(unix.SYS_UNSHARE), "cgroup-namespace", "allow unshare in its seccomp profile", local.Native},
	"seccomp":       {without(unix.SYS_SECCOMP), "seccomp", "CONFIG_SECCOMP_FILTER", local.Native},
	"close_range":   {without(unix.SYS_CLOSE_RANGE), "descriptors", "allow close_range in its seccomp profile", local.Native},

	"no Landlock":              {lacks(unix.SYS_LANDLOCK_CREATE_RULESET, unix.ENOSYS), "landlock", "it needs Linux 6.12 with CONFIG_SECURITY_LANDLOCK", local.Landlock},
	"Landlock off":             {lacks(unix.SYS_LANDLOCK_CREATE_RULESET, unix.EOPNOTSUPP), "landlock", "add landlock to the kernel's parameter lsm", local.Landlock},
	"landlock_create_ruleset":  {without(unix.SYS_LANDLOCK_CREATE_RULESET), "landlock", "allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self", local.Landlock},
	"landlock_add_rule":        {without(unix.SYS_LANDLOCK_ADD_RULE), "scope", "allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self", local.Landlock},
	"landlock_restrict_self":   {without(unix.SYS_LANDLOCK_RESTRICT_SELF), "scope", "allow landlock_create_ruleset, landlock_add_rule and landlock_restrict_self", local.Landlock},
	"seccomp for landlock":     {without(unix.SYS_SECCOMP), "seccomp", "CONFIG_SECCOMP_FILTER", local.Landlock},
	"close_range for landlock": {without(unix.SYS_CLOSE_RANGE), "descriptors", "allow close_range in its seccomp profile", local.Landlock},
}

// without is a host whose container denies a system call.
func without(call uint32) func() error { return lacks(call, unix.EPERM) }

// lacks is a host that answers a system call with an error.
func lacks(call uint32, answer unix.Errno) func() error {
	return func() error {
		const number = 0
		deny := unix.SECCOMP_RET_ERRNO | uint32(answer)
		return seccomp.Install([]unix.SockFilter{
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number},
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
			{Code: unix.BPF_RET | unix.BPF_K, K: deny},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		})
	}
}

// lack is the process on such a host.
func lack() {
	c := lacking[os.Getenv("LACK")]
	if err := c.lack(); err != nil {
		panic(err)
	}
	b, err := local.New(local.Options{Dir: os.Getenv("DIR"), Launcher: c.launcher})
	if err == nil {
		err = b.Close()
	}
	var failure *backend.Error
	if errors.As(err, &failure) {
		fmt.Print(failure.Message)
	}
}

// TestLackingHosts checks that what a host lacks is named, with what to do. That user namespaces are refused, and nobody
// says so, was reported of others: https://github.com/openai/codex/issues/15057, https://github.com/openai/codex/issues/23468
// and https://github.com/anthropic-experimental/sandbox-runtime/issues/74.
func TestLackingHosts(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	for name, c := range lacking {
		t.Run(name, func(t *testing.T) {
			// The numbers of a namespace of its own can be changed without changing those of the host. In it the process is
			// root, so it needs accounts that sandboxes can have.
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), part+"=lack", "LACK="+name, "DIR="+filepath.Join(t.TempDir(), "b"))
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER, AmbientCaps: []uintptr{unix.CAP_SYS_RESOURCE}}
			cmd.SysProcAttr.UidMappings, cmd.SysProcAttr.GidMappings = nestedAccounts(), nestedAccounts()
			cmd.SysProcAttr.GidMappingsEnableSetgroups = os.Geteuid() == 0
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			wantRefusalOf(t, c.launcher, &backend.Error{Code: backend.ExecTransport, Message: string(out)}, c.what, c.remedy)
		})
	}
}

// nestedAccounts are those of a namespace in which this process is what it is outside.
func nestedAccounts() []syscall.SysProcIDMap {
	if id := os.Geteuid(); id != 0 {
		return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	}
	return []syscall.SysProcIDMap{{Size: 1}, {ContainerID: local.DefaultFirstUID, HostID: local.DefaultFirstUID, Size: 1 << 16}}
}

// TestBeforeTheStart checks that nothing is started for a context that is over.
func TestBeforeTheStart(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	dir := filepath.Join(t.TempDir(), "sandboxes")
	s := started(t, newBackend(t, isolated, func(o *local.Options) { o.Dir = dir }), sandbox.Manifest{})
	before := remainsIn(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Exec(ctx, backend.Command{Args: []string{"touch", "ran"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("exec: %v", err)
	}
	if _, err := s.Read(t.Context(), "ran"); backend.CodeOf(err) != backend.ReadNotFound {
		t.Errorf("the command was run: %v", err)
	}
	wantRemains(t, dir, before)
}
