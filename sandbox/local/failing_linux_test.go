package local_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// isolating calls a test with each launcher that isolates and that this host has.
func isolating(t *testing.T, test func(t *testing.T, l local.Launcher)) {
	t.Helper()
	for _, l := range []local.Launcher{local.Native, local.Bubblewrap, local.Landlock} {
		t.Run(l.String(), func(t *testing.T) {
			if !refused(t, l) {
				test(t, l)
			}
		})
	}
}

// failing is a sandbox in which a command is to fail before it runs, with what was there before.
type failing struct {
	*local.Backend
	sandbox backend.Sandbox
	dir     string
	before  remains
}

func newFailing(t *testing.T, l local.Launcher, change ...func(*local.Options)) failing {
	t.Helper()
	f := failing{dir: filepath.Join(t.TempDir(), "sandboxes")}
	f.Backend = newBackend(t, append(change, func(o *local.Options) { o.Launcher, o.Dir = l, f.dir })...)
	f.sandbox = started(t, f.Backend, sandbox.Manifest{})
	sh(t, f.sandbox, "touch ran; rm ran") // shows that the command would have run
	f.before = remainsIn(t, f.dir)
	return f
}

// at runs a command that fails at a step, and checks that it was not run and left nothing.
func (f failing) at(t *testing.T, step string) error {
	t.Helper()
	local.FailNextAt(f.Backend, step)
	result, err := f.sandbox.Exec(t.Context(), backend.Command{Args: []string{"touch", "ran"}})
	if result.ExitCode != 0 || result.Reached != nil {
		t.Errorf("result %v", result)
	}
	if _, err := os.Lstat(filepath.Join(f.dir, id, "workspace", "ran")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the command was run: %v", err)
	}
	wantRemains(t, f.dir, f.before)
	return err
}

// TestFailingSteps makes each step on the way into a sandbox fail. The command is never run then, and New refuses.
func TestFailingSteps(t *testing.T) {
	isolating(t, func(t *testing.T, l local.Launcher) {
		t.Helper()
		f := newFailing(t, l)
		for _, step := range local.Steps(l) {
			t.Run(step, func(t *testing.T) {
				name := strings.TrimPrefix(step, "stage ")
				wantRefusalOf(t, l, f.at(t, step), name, "")
				o := local.Options{Dir: filepath.Join(t.TempDir(), "b"), Launcher: l}.With(local.FailAt(step))
				passable(t, o)
				other, err := local.New(o)
				wantRefusalOf(t, l, err, name, "")
				if other != nil {
					t.Error("New returned a backend")
				}
				wantRemains(t, f.dir, f.before)
			})
		}
		local.FailNextAt(f.Backend, "")
		sh(t, f.sandbox, "touch ran")
	})
}

// TestFailingStart makes what comes after the steps fail, with and without a limit that the command sets for itself. The
// command is never run then, and no exit code stands for that.
func TestFailingStart(t *testing.T) {
	none := func(*local.Options) {}
	bound := func(o *local.Options) { local.WithoutGroups(o); o.Limits.Memory = 1 << 30 }
	isolating(t, func(t *testing.T, l local.Launcher) {
		t.Helper()
		for name, limits := range map[string]func(*local.Options){"start": none, "bound start": bound} {
			t.Run(name, func(t *testing.T) { wantNotStarted(t, newFailing(t, l, limits).at(t, "start")) })
			// The kernel's own no: a program that is none.
			t.Run("no program/"+name, func(t *testing.T) {
				s := newFailing(t, l, limits).sandbox
				sh(t, s, "cp /usr/bin/env none; printf '\\177ELF' > none") // not every launcher lets commands change modes
				_, err := s.Exec(t.Context(), backend.Command{Args: []string{"./none"}})
				wantNotStarted(t, err)
			})
		}
		t.Run("address space", func(t *testing.T) {
			wantRefusalOf(t, l, newFailing(t, l, bound).at(t, "address-space"), "address-space", "allow prlimit64")
		})
	})
}

// TestLostGroups checks that a command is refused, and never run, for which no control group can be made any more.
func TestLostGroups(t *testing.T) {
	isolating(t, func(t *testing.T, l local.Launcher) {
		t.Helper()
		f := newFailing(t, l)
		if err := local.LoseGroups(f.Backend); err != nil {
			t.Fatal(err)
		}
		err := f.at(t, "")
		if backend.CodeOf(err) != backend.ExecTransport || !strings.Contains(err.Error(), "nothing was run: cgroup: unavailable: ") {
			t.Errorf("error %v, want that there is no control group", err)
		}
	})
}

// TestLongArguments checks that arguments which are too long are what is wrong: for the kernel, and for the way to the first
// process.
func TestLongArguments(t *testing.T) {
	isolating(t, func(t *testing.T, l local.Launcher) {
		t.Helper()
		f := newFailing(t, l)
		for _, size := range []int{1 << 20, 17 << 20} {
			_, err := f.sandbox.Exec(t.Context(), backend.Command{Args: []string{"true", strings.Repeat("x", size)}})
			wantNotStarted(t, err)
			wantRemains(t, f.dir, f.before)
		}
	})
}

func wantNotStarted(t *testing.T, err error) {
	t.Helper()
	if backend.CodeOf(err) != backend.ExecTransport || !strings.Contains(err.Error(), "could not be started") {
		t.Errorf("error %v, want that the command could not be started", err)
	}
}
