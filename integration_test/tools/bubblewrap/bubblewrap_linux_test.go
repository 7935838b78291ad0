package bubblewrap

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

const sandboxID = "5b8f7c1e-2222-4333-8444-555555555555"

// ordinary is an account without rights.
const ordinary = 65533

// TestBubblewrap holds the launcher bwrap to what the others are held to, with a worker that is root, if the tests are,
// and one that is not.
func TestBubblewrap(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Run("ordinary worker", asOrdinary)
	}
	t.Run("conformance", func(t *testing.T) {
		sandboxtest.Conformance{New: func(t *testing.T) backend.Backend {
			t.Helper()
			return bubblewrap(t, local.Options{})
		}}.Run(t)
	})
	t.Run("hostile", testHostile)
	t.Run("view", testView)
	t.Run("replaced directory", testReplaced)
	t.Run("arguments", testArguments)
	t.Run("thickets", testThickets)
	t.Run("killed worker", testWorkerKilled)
	t.Run("words of bwrap", testWords)
}

// asOrdinary runs the tests once more, as another account.
func asOrdinary(t *testing.T) {
	temp := open(t)
	program := filepath.Join(temp, "test") // where that account reaches it
	self, err := os.ReadFile("/proc/self/exe")
	if err := errors.Join(err, os.WriteFile(program, self, 0o755), os.Chown(temp, ordinary, ordinary)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.short", "-test.run=^TestBubblewrap$", "-test.v="+fmt.Sprint(testing.Verbose()))
	cmd.Dir, cmd.Env = temp, []string{"TMPDIR=" + temp, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinary, Gid: ordinary}}
	if out, err := cmd.CombinedOutput(); err != nil || testing.Verbose() {
		t.Logf("%s", out)
		if err != nil {
			t.Error(err)
		}
	}
}

// open is a directory that every account reaches.
func open(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// bubblewrap returns a backend.
func bubblewrap(t *testing.T, o local.Options) *local.Backend {
	t.Helper()
	o.Launcher, o.Grace = local.Bubblewrap, 100*time.Millisecond
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "sandboxes")
	}
	b, err := local.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func startedSandbox(t *testing.T, b *local.Backend) backend.Sandbox {
	t.Helper()
	s, err := b.Create(t.Context(), backend.Spec{ID: sandboxID, Manifest: sandbox.Manifest{
		Entries: map[string]sandbox.Entry{"input/a": {Type: sandbox.EntryFile, Content: "x"}, "b": {Type: sandbox.EntryFile, Content: "y"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// look prints what a command can see of where it is.
const look = `exec 2>&1
find / -path /usr -prune -o -path /proc -prune -o -path /dev/pts -prune -o -printf 'file %p %M %U %G %l\n' 2>/dev/null
find /proc /dev/pts -path '/proc/[0-9]*' -prune -o -path '/proc/*self' -prune -o -printf 'file %p %M\n' 2>/dev/null
while read -r id parent device root at options rest; do echo "mount $at $options"; done </proc/self/mountinfo
for f in passwd group hosts hostname resolv.conf nsswitch.conf; do sed "s/^/etc $f /" /etc/$f; done
id; hostname; pwd; umask; ulimit -a; env; cut -d: -f1 /proc/net/dev; cat /proc/self/cgroup
grep -E '^(Cap|NoNewPrivs|Seccomp):' /proc/self/status
head -c 10 /proc/kmsg /proc/keys /proc/timer_list; cat /proc/1/environ; readlink /proc/1/exe; ls /proc/self/fd
for f in /x /etc/x /dev/x /usr/x /proc/sys/net/x /workspace/input/x /workspace/x /tmp/x /dev/shm/x /run/x; do { : >$f; } 2>&1; done
echo 1 2>&1 >/proc/sys/net/ipv4/ip_forward`

// testView compares what commands see with what they see where the worker makes the sandbox itself.
func testView(t *testing.T) {
	saw := map[local.Launcher]string{}
	for _, l := range []local.Launcher{local.Native, local.Bubblewrap} {
		b, err := local.New(local.Options{Dir: filepath.Join(t.TempDir(), "b"), Launcher: l, Limits: sandbox.Limits{Memory: 1 << 30}})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		s := startedSandbox(t, b)
		if r, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", look}, Stdout: &out}); err != nil || r.Emptied != "pid namespace ended" {
			t.Errorf("%v, %v", r, err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		saw[l] = out.String()
	}
	if diff := cmp.Diff(comparable(saw[local.Native]), comparable(saw[local.Bubblewrap])); diff != "" {
		t.Errorf("native and bwrap (-native +bwrap):\n%s", diff)
	}
}

// otherwise are the lines that only bwrap has: it makes /dev a file system, with one link more, and what it shows of
// /proc/sys is the host's mount, in which there may be others.
var otherwise = []string{"file /dev/core lrwxrwxrwx 1000 1000 /proc/kcore", "mount /dev ro,nosuid,nodev", "mount /proc/sys/fs/binfmt_misc ro,nosuid,nodev"}

// comparable is what must be the same, sorted.
func comparable(saw string) []string {
	var lines []string
	for line := range strings.Lines(saw) {
		line = strings.TrimSpace(line)
		if f := strings.Fields(line); len(f) > 2 && f[0] == "mount" {
			options := strings.Split(f[2], ",")
			// What covers files of /proc is a device, for which being closed for writing means nothing.
			device := strings.HasPrefix(f[1], "/proc/") && !slices.Contains(options, "nodev")
			options = slices.DeleteFunc(options, func(o string) bool {
				return o != "nosuid" && o != "nodev" && (o != "ro" || device)
			})
			line = f[0] + " " + f[1] + " " + strings.Join(options, ",")
		}
		if !slices.Contains(otherwise, line) {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

// wrapper is a program that does something before it becomes bwrap.
func wrapper(t *testing.T, before string) string {
	t.Helper()
	file := filepath.Join(open(t), "bwrap")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+before+"\nexec /usr/bin/bwrap \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

// testReplaced checks that nothing runs where a directory was replaced between the look at it and the mount.
func testReplaced(t *testing.T) {
	for name, replace := range map[string]string{
		"link to the host":      "mv input old; ln -s /etc input",
		"link in the workspace": "mkdir other; mv input old; ln -s other input",
		"another directory":     "mv input old; mkdir input",
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "sandboxes")
			workspace := filepath.Join(dir, sandboxID, "workspace")
			// Where the worker is root the workspace is mounted at another place for bwrap.
			before := "for d in " + workspace + " /run /mnt /var; do if cd $d 2>/dev/null && test -d input; then " + replace + "; fi; done"
			s := startedSandbox(t, bubblewrap(t, local.Options{Dir: dir, Bwrap: wrapper(t, before)}))
			_, err := s.Exec(t.Context(), backend.Command{Args: []string{"touch", "ran"}})
			if backend.CodeOf(err) != backend.ExecTransport || !strings.Contains(err.Error(), "nothing was run") {
				t.Errorf("exec: %v", err)
			}
			if _, err := os.Lstat(filepath.Join(workspace, "old")); err != nil {
				t.Error("the directory was not replaced: the test shows nothing")
			}
			if _, err := os.Lstat(filepath.Join(workspace, "ran")); err == nil {
				t.Error("the command ran")
			}
		})
	}
}

// testWords checks that what bwrap says reaches nobody, but what commands say does.
func testWords(t *testing.T) {
	b := bubblewrap(t, local.Options{Bwrap: wrapper(t, "echo words of bwrap >&2")})
	s := startedSandbox(t, b)
	var out, errOut bytes.Buffer
	cmd := backend.Command{Args: []string{"sh", "-c", "echo out; echo error >&2; cat"}, Stdin: strings.NewReader("in"), Stdout: &out, Stderr: &errOut}
	if r, err := s.Exec(t.Context(), cmd); err != nil || r.ExitCode != 0 {
		t.Errorf("%v, %v", r, err)
	}
	if out.String() != "out\nin" || errOut.String() != "error\n" {
		t.Errorf("output %q, error output %q", out.String(), errOut.String())
	}
}
