package local_test

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// holder is what a host shows of a process to those who may look.
type holder struct{ Parent, Cmdline, Environ string }

// first reports whether it is a first process.
func (h holder) first() bool { return h.Cmdline == "sandboxguard-init\x00" }

// holders are all processes of the host, by their ids.
func holders(t *testing.T) map[string]holder {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]holder{}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		read := func(file string) string {
			data, _ := os.ReadFile(filepath.Join("/proc", e.Name(), file)) // it may be over by now
			return string(data)
		}
		_, stat, _ := strings.Cut(read("stat"), ") ")
		if f := strings.Fields(stat); len(f) > 2 {
			out[e.Name()] = holder{f[1], read("cmdline"), read("environ")}
		}
	}
	return out
}

// TestHiddenValues checks, while a command runs, that its values are in nobody's arguments and in no environment but its
// own, on the host and inside, and that nothing of the worker's is inside.
func TestHiddenValues(t *testing.T) {
	for l, first := range map[local.Launcher]string{local.Native: "sandboxguard-init\x00", local.Landlock: "sandboxguard-init-keeper\x00"} {
		t.Run(l.String(), func(t *testing.T) {
			if !refused(t, l) {
				hiddenValues(t, l, first)
			}
		})
	}
}

// hiddenValues is for a launcher whose first processes have these arguments.
func hiddenValues(t *testing.T, l local.Launcher, first string) {
	t.Helper()
	const canary, workers = "canary-6f1e0b7a94c2d358", "canary-of-the-worker-0d41"
	t.Setenv("WORKER_TOKEN", workers)
	// Others than Go's own library open files so that programs inherit them.
	open := filepath.Join(t.TempDir(), workers)
	if err := os.WriteFile(open, []byte(workers), 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(open, unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()

	for name, groups := range map[string]func(*local.Options){
		"start": func(*local.Options) {},
		// The command is started by way of another process then.
		"bound start": func(o *local.Options) { local.WithoutGroups(o); o.Limits.Memory = 1 << 30 },
	} {
		t.Run(name, func(t *testing.T) {
			s := started(t, newBackend(t, func(o *local.Options) { o.Launcher = l }, groups), sandbox.Manifest{})
			in, hold := io.Pipe()
			var out bytes.Buffer
			var during map[string]holder
			const script = `env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; ls -l /proc/[0-9]*/fd /proc/[0-9]*/fd/* /proc/[0-9]*/exe
for f in environ maps mem fd exe cwd root; do cat /proc/1/$f && printf 'got:%s' $f; ls /proc/1/$f/ && printf 'got:%s' $f; done
echo up; read end`
			result, err := s.Exec(t.Context(), backend.Command{
				Args: []string{"sh", "-c", script, "an-argument"}, Env: []string{"TOKEN=" + canary}, Stdin: in,
				Stdout: writes(func(data []byte) {
					out.Write(data)
					if bytes.HasSuffix(out.Bytes(), []byte("up\n")) {
						during = holders(t)
						_ = hold.CloseWithError(io.EOF)
					}
				}),
			})
			if err != nil || during == nil {
				t.Fatalf("exec: %+v, %v", result, err)
			}
			for _, not := range []string{workers, "WORKER_TOKEN", "got:environ", "got:maps", "got:mem", "got:fd", "got:exe", "got:cwd", "got:root"} {
				if strings.Contains(out.String(), not) {
					t.Errorf("inside there is %q:\n%s", not, out.String())
				}
			}
			if !strings.Contains(out.String(), "TOKEN="+canary) {
				t.Error("the command did not get its variable: the test shows nothing")
			}
			self, firsts, have := strconv.Itoa(os.Getpid()), 0, map[string]string{}
			for pid, p := range during {
				if strings.Contains(p.Cmdline, canary) || strings.Contains(p.Cmdline, workers) {
					t.Errorf("process %s has a value among its arguments: %q", pid, p.Cmdline)
				}
				switch starter := during[p.Parent]; {
				case p.Parent == self:
					if diff := cmp.Diff(holder{self, "sandboxguard-init-starter\x00", ""}, p); diff != "" {
						t.Errorf("starter (-want +got):\n%s", diff)
					}
				case starter.Parent == self:
					firsts++
					if diff := cmp.Diff(holder{p.Parent, first, ""}, p); diff != "" {
						t.Errorf("first process (-want +got):\n%s", diff)
					}
				}
				if strings.Contains(p.Environ, canary) {
					have[pid] = p.Cmdline
				}
			}
			if firsts != 1 {
				t.Errorf("%d first processes", firsts)
			}
			if got := slices.Collect(maps.Values(have)); len(got) != 1 || !strings.HasPrefix(got[0], "sh\x00-c\x00") {
				t.Errorf("the value is in the environment of %q", got)
			}
		})
	}
}

// writes is a writer that cannot fail.
type writes func(data []byte)

func (f writes) Write(data []byte) (int, error) { f(data); return len(data), nil }

// TestExactBytes checks that arguments, variables and output are bytes, and no text of some encoding.
func TestExactBytes(t *testing.T) {
	if refused(t, local.Native) {
		return
	}
	const odd = "\xff\xc0\x80 \u2028<&>\x01\xed\xa0\x80"
	for name, groups := range map[string]func(*local.Options){
		"start":       func(*local.Options) {},
		"bound start": func(o *local.Options) { local.WithoutGroups(o); o.Limits.Memory = 1 << 30 },
	} {
		s := started(t, newBackend(t, isolated, groups), sandbox.Manifest{})
		var out strings.Builder
		_, err := s.Exec(t.Context(), backend.Command{
			Args: []string{"sh", "-c", `printf '%s|%s|' "$1" "$ODD"; pwd`, "sh", odd}, Env: []string{"ODD=" + odd}, Stdout: &out,
		})
		if diff := cmp.Diff(odd+"|"+odd+"|/workspace\n", out.String()); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}
