package local_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
	"github.com/sandboxguard/sandboxguard/sandbox/local/internal/cgroup"
)

// degraded are the probes that Landlock is not safe from, with the reason.
func degraded(l local.Launcher) map[string]string {
	if l != local.Landlock || os.Geteuid() == 0 {
		return nil
	}
	return map[string]string{
		"privileges": "an ordinary account may not narrow the capabilities that programs could bring: no_new_privs alone keeps them from that",
	}
}

// confinedSandbox is a sandbox whose commands Landlock confines, nil where the host refuses that.
func confinedSandbox(t *testing.T, change ...func(*local.Options)) backend.Sandbox {
	t.Helper()
	if refused(t, local.Landlock) {
		return nil
	}
	return started(t, newBackend(t, append(change, confined)...), sandbox.Manifest{})
}

// TestConfined checks what of the host is out of the reach of commands that see its paths and its processes.
func TestConfined(t *testing.T) {
	s := confinedSandbox(t)
	if s == nil {
		return
	}
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(outside, 0o777); err != nil {
		t.Fatal(err)
	}
	worker := strconv.Itoa(os.Getpid())
	for name, script := range map[string]string{
		"read":           "cat " + secret,
		"write":          "echo x > " + secret,
		"truncate":       "truncate -s 0 " + secret,
		"list":           "ls " + outside,
		"make":           "touch " + outside + "/made",
		"remove":         "rm -f " + secret,
		"link":           "ln " + secret + " linked",
		"rename":         "mv " + secret + " moved",
		"mode":           "chmod 600 " + secret,
		"times":          "touch -c -d 2001-01-01 " + secret,
		"times by path":  "touch -c -h -d 2001-01-01 " + secret,
		"through a link": "ln -s " + secret + " way; cat way",
		"tmp":            "echo x > /tmp/sandboxguard-confined",
		"shm":            "echo x > /dev/shm/sandboxguard-confined",
		"processes":      "ls /proc",
		"arguments":      "cat /proc/" + worker + "/cmdline",
		"environment":    "cat /proc/" + worker + "/environ",
		"its worker":     "kill -0 " + worker,
		"its keeper":     "kill -9 $PPID",
		"limits":         "prlimit --pid " + worker + " --nofile=1:1",
		"priority":       "renice -n 19 -p " + worker,
		"queues":         "ipcmk -Q",
	} {
		t.Run(name, func(t *testing.T) {
			result, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", script}})
			if err != nil || result.ExitCode == 0 || result.ExitCode < 0 || result.ExitCode > 125 {
				t.Errorf("%s: %+v, %v", script, result, err)
			}
		})
	}
	data, err := os.ReadFile(secret)
	info, err2 := os.Stat(secret)
	if err != nil || err2 != nil || string(data) != "secret" || info.Mode().Perm() != 0o644 && info.Mode().Perm() != 0o666 || info.ModTime().Year() == 2001 {
		t.Errorf("the file is %q, %v, %v, %v", data, info, err, err2)
	}
}

// TestUnconfined checks what commands need, and that what they leave in their scratch directory is gone with them.
func TestUnconfined(t *testing.T) {
	s := confinedSandbox(t)
	if s == nil {
		return
	}
	for script, want := range map[string]string{
		"mkdir -p a/b; echo 1 > a/x; mv a/x a/b/y; ln a/b/y z; mkfifo p; rm -r a p; cat z":     "1\n",
		"printf 'echo ran\n' > tool; sh ./tool; sh ~/tool":                                     "ran\nran\n",
		`echo x > "$TMPDIR/x"; mv "$TMPDIR/x" y; cat y; touch "$TMPDIR/left"`:                  "x\n",
		`ls "$TMPDIR"; cd "$HOME"; pwd | grep -c /workspace$`:                                  "1\n",
		"head -c 3 /dev/zero | wc -c; echo x > /dev/null; test -t 0 < /dev/null || echo no":    "3\nno\n",
		"kill -0 $$; (sleep 60 & kill $!; wait $!; echo $?); grep -c Seccomp: /proc/$$/status": "143\n1\n",
		"cat /dev/fd/3 3<<E\nheld\nE":                                                          "held\n",
	} {
		if diff := cmp.Diff(want, sh(t, s, script)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", script, diff)
		}
	}
	result, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "/workspace/tool"}})
	if err != nil || result.ExitCode != 0 {
		t.Errorf("by its path in the sandbox: %+v, %v", result, err)
	}
}

// TestScratch checks that nothing of the directory of a command for temporary files is left after it.
func TestScratch(t *testing.T) {
	if refused(t, local.Landlock) {
		return
	}
	dir := filepath.Join(t.TempDir(), "sandboxes")
	s := started(t, newBackend(t, confined, func(o *local.Options) { o.Dir = dir }), sandbox.Manifest{})
	sh(t, s, `mkdir -p "$TMPDIR/a/b"; echo x > "$TMPDIR/a/b/c"; chmod 0 "$TMPDIR" || true`)
	left, err := filepath.Glob(filepath.Join(dir, id, "scratch", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestKilledKeeper has the host end the keeper of a command, as for want of memory. Its control group is ended then, and
// without one what is left of the command when the sandbox is stopped.
func TestKilledKeeper(t *testing.T) {
	if refused(t, local.Landlock) {
		return
	}
	for name, change := range map[string]func(*local.Options){"groups": func(*local.Options) {}, "no groups": local.WithoutGroups} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "sandboxes")
			b := newBackend(t, confined, change, func(o *local.Options) { o.Dir = dir })
			s := started(t, b, sandbox.Manifest{})
			sh(t, s, "true")
			workspace := filepath.Join(dir, id, "workspace")
			if err := makePipes(workspace); err != nil {
				t.Fatal(err)
			}
			before, h := remainsIn(t, dir), openHold(t, workspace)
			go func() {
				if h.awaitAll() {
					killKeeper(t)
				}
			}()
			got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", thicket}})
			want := backend.Result{ExitCode: -int(unix.SIGKILL)}
			if local.CanEndGroups(b) {
				want.Emptied = "control group ended"
			} else if err := s.Stop(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !h.close(t) {
				t.Error("a process was left")
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("exec: %v (-want +got):\n%s", err, diff)
			}
			wantRemains(t, dir, before)
		})
	}
}

// TestKeptKeeper has commands use up their memory in many processes, of which each has less than the keeper: it is not what
// is ended.
func TestKeptKeeper(t *testing.T) {
	can := cgroup.Find(cgroup.Options{}).Support()[cgroup.Memory]
	if refused(t, local.Landlock) || can.Mechanism == "" {
		t.Logf("this host cannot: %s", can.Reason)
		return
	}
	s := started(t, newBackend(t, confined, func(o *local.Options) { o.Limits.Memory = 96 << 20 }), sandbox.Manifest{})
	const small = `grow() { x=$(head -c 1000000 /dev/zero | tr '\0' x); (grow); }; grow`
	got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", small}, Timeout: time.Minute})
	if err != nil || got.Emptied != "landlock domain ended" || len(got.Reached) != 1 || got.Reached[0].Name != "memory" {
		t.Errorf("exec: %+v, %v", got, err)
	}
}

// killKeeper kills the keepers of this process.
func killKeeper(t *testing.T) {
	t.Helper()
	self, all := strconv.Itoa(os.Getpid()), holders(t)
	for name, p := range all {
		pid, err := strconv.Atoi(name)
		if err == nil && all[p.Parent].Parent == self && strings.HasPrefix(p.Cmdline, "sandboxguard-init-keeper") {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// TestKeeperOutlivesStarter checks that a command goes on when what started its keeper is gone, which nothing depends on.
func TestKeeperOutlivesStarter(t *testing.T) {
	if refused(t, local.Landlock) {
		return
	}
	b := newBackend(t, confined)
	s := started(t, b, sandbox.Manifest{})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said := make(chan string, 2)
	in, answer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-said
		if err := local.KillStarter(b); err != nil {
			t.Error(err)
		}
		_ = answer.Close()
	}()
	got, err := s.Exec(ctx, backend.Command{
		Args: []string{"sh", "-c", "echo; cat; exit 7"}, Stdin: in, Stdout: writes(func([]byte) { said <- "" }),
	})
	want := backend.Result{ExitCode: 7, Emptied: "landlock domain ended"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("exec: %v (-want +got):\n%s", err, diff)
	}
	sh(t, s, "true") // by another one
}

// TestConfinedGrants checks path grants where commands use the host's paths: each is there with the rights that it has.
func TestConfinedGrants(t *testing.T) {
	if refused(t, local.Landlock) {
		return
	}
	read, write := openDir(t), openDir(t)
	if err := os.WriteFile(filepath.Join(read, "x"), []byte("shown\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	b := newBackend(t, confined, func(o *local.Options) {
		o.Paths = []local.Path{{Path: read}, {Path: write, Writable: true}}
	})
	s := started(t, b, sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: read, ReadOnly: true}, {Path: write}}})
	for script, want := range map[string]int{
		"cat " + read + "/x": 0, "ls " + read: 0, "echo y > " + read + "/x": 2, "touch " + read + "/y": 1, "rm -f " + read + "/x": 1,
		"echo y > " + write + "/y && cat " + write + "/y && rm " + write + "/y": 0,
	} {
		got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", script}, Dir: read})
		if err != nil || got.ExitCode != want {
			t.Errorf("%s: %+v, %v, want exit code %d", script, got, err, want)
		}
	}
	other := startedAs(t, b, otherID, sandbox.Manifest{})
	if got, err := other.Exec(t.Context(), backend.Command{Args: []string{"cat", read + "/x"}}); err != nil || got.ExitCode != 1 {
		t.Errorf("without a grant: %+v, %v", got, err)
	}
}

// TestConfinedOptions checks that what Landlock cannot do is refused, with what to do.
func TestConfinedOptions(t *testing.T) {
	dir := t.TempDir()
	for want, o := range map[string]local.Options{
		"local: Paths[0] must have no Source of its own: with landlock commands find everything where it is on the host": {
			Paths: []local.Path{{Path: "/srv/a", Source: "/srv/b"}},
		},
		"local: ReadOnly must be empty with landlock, which cannot keep commands from directories of the workspace: leave it out, or take native or bwrap": {
			ReadOnly: []string{"input"},
		},
		"local: the policy does not allow landlock: it must say so in sandbox.backends of the queue": {Launchers: []string{"native", "bwrap"}},
	} {
		o.Dir, o.Launcher = filepath.Join(dir, "b"), local.Landlock
		b, err := local.New(o)
		if b != nil || err == nil || err.Error() != want {
			t.Errorf("New: %v, want %s", err, want)
		}
	}
}

// TestConfinedReach checks that a directory is refused that the accounts of sandboxes do not get to.
func TestConfinedReach(t *testing.T) {
	if refused(t, local.Landlock) || os.Geteuid() != 0 {
		return // an ordinary worker's commands have its account
	}
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	b, err := local.New(local.Options{Dir: filepath.Join(closed, "b"), Launcher: local.Landlock})
	if b != nil || err == nil || !strings.Contains(err.Error(), "give others the right to pass the directories that lead to it (chmod o+x)") {
		t.Errorf("New: %v", err)
	}
}
