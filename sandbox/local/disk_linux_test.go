package local_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/local"
)

// diskReached is what a workspace of 16 MiB reaches.
var diskReached = []backend.Limit{{Name: "disk", Value: "16MiB", Mechanism: "watch of the workspace"}}

func limitedDisk(l local.Launcher) func(*local.Options) {
	return func(o *local.Options) { o.Launcher, o.Limits = l, sandbox.Limits{Disk: 16 * mib} }
}

// TestWorkspaceFull fills a workspace: the command is ended, another one can remove what is too much and write again.
func TestWorkspaceFull(t *testing.T) {
	// Bit by bit, since what others free at the same time hides it.
	const fill = "trap 'echo told; exit 5' TERM; i=0; while [ $i -lt 400 ]; do head -c 1M /dev/zero >> f; i=$((i+1)); done; while :; do sleep 1000; done"
	for _, l := range []local.Launcher{local.Native, local.Bubblewrap, local.Landlock, local.Unisolated} {
		t.Run(l.String(), func(t *testing.T) {
			if refused(t, l) {
				return
			}
			s := started(t, newBackend(t, limitedDisk(l)), sandbox.Manifest{})
			var said strings.Builder
			got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", fill}, Stdout: &said})
			want := backend.Result{ExitCode: -9, Reached: diskReached, Emptied: got.Emptied}
			if diff := cmp.Diff(want, got); err != nil || diff != "" || said.Len() > 0 {
				t.Errorf("%v, said %q (-want +got):\n%s", err, &said, diff)
			}
			if got := sh(t, s, "ls; rm f; echo x > g; ls"); got != "f\ng\n" {
				t.Errorf("the command after it: %q", got)
			}
			out := &shown{more: make(chan struct{}, 1)}
			p, err := s.(backend.Terminals).OpenTerminal(t.Context(), backend.Command{Args: []string{"sh", "-c", fill}, Stdout: out, Stderr: out}, true)
			if err != nil {
				t.Fatal(err)
			}
			<-p.Done()
			got, err = p.Result()
			want.Emptied = got.Emptied
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("at a terminal: %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestWorkspaceFilled checks that a command which was over before it was seen to fill the workspace ends as it did, and
// that the limit is named all the same; and that nothing else names it.
func TestWorkspaceFilled(t *testing.T) {
	for _, l := range []local.Launcher{local.Native, local.Landlock, local.Unisolated} {
		t.Run(l.String(), func(t *testing.T) {
			if refused(t, l) {
				return
			}
			dir := filepath.Join(t.TempDir(), "sandboxes")
			// What others use of the file system does not matter, since it comes and goes.
			s := started(t, newBackend(t, limitedDisk(l), local.WithTicks(make(chan time.Time), usedBelow(dir)), func(o *local.Options) { o.Dir = dir }), sandbox.Manifest{})
			for _, c := range []struct {
				script string
				want   []backend.Limit
			}{
				{"head -c 15M /dev/zero > f; exit 3", nil},
				{"head -c 17M /dev/zero > f; exit 3", diskReached},
				{"exit 3", nil},
				{"head -c 3M /dev/zero > g; exit 3", diskReached},
				{"rm g; head -c 2M /dev/zero > h; rm h; exit 3", nil},
				{"rm f; head -c 3M /dev/zero > g; exit 3", nil},
				{"head -c 15M /dev/zero > f; exit 3", diskReached},
			} {
				got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", c.script}})
				if diff := cmp.Diff(c.want, got.Reached); err != nil || got.ExitCode != 3 || diff != "" {
					t.Errorf("%s: exit code %d, %v (-want +got):\n%s", c.script, got.ExitCode, err, diff)
				}
			}
		})
	}
}

// usedBelow is what the files below a directory take, as a file system that has no others.
func usedBelow(dir string) func() (int64, error) {
	return func() (used int64, err error) {
		err = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			info, err := d.Info()
			used += info.Size()
			return err
		})
		return used, err
	}
}

// TestHostsWrites checks that the host puts no more into a workspace than it may have, and that what is there can be
// replaced.
func TestHostsWrites(t *testing.T) {
	s := started(t, newBackend(t, limitedDisk(local.Unisolated)), sandbox.Manifest{})
	refused := func(what string, err error) {
		t.Helper()
		if backend.CodeOf(err) != backend.ArchiveWrite || !strings.Contains(err.Error(), "over the limit of disk, 16MiB: remove files, or ask for a higher limit: nothing was written") {
			t.Errorf("%s: %v", what, err)
		}
	}
	taken := func(what string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	write := func(name string, size int) error { return s.Write(t.Context(), name, make([]byte, size)) }
	hydrate := func(name string, size int) error {
		return s.Hydrate(t.Context(), bytes.NewReader(archive(t, tar.Header{Name: name, Mode: 0o644}, strings.Repeat("x", size))))
	}
	taken("12 MiB", write("f", 12*mib))
	refused("8 MiB more", write("g", 8*mib))
	taken("15 MiB in their place", write("f", 15*mib))
	refused("17 MiB in their place", write("f", 17*mib))
	refused("an archive of 8 MiB", hydrate("g", 8*mib))
	taken("an archive of 15 MiB in their place", hydrate("f", 15*mib))
	taken("nothing in their place", write("f", 0))
	taken("8 MiB", hydrate("g", 8*mib))
	if got := sh(t, s, "ls"); got != "f\ng\n" {
		t.Errorf("there are %q", got)
	}
}

// TestManifestFull checks that a manifest that is over the limit is refused, as often as it is tried.
func TestManifestFull(t *testing.T) {
	src := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		if err := os.WriteFile(filepath.Join(src, name), make([]byte, 8*mib), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := newBackend(t, limitedDisk(local.Unisolated), func(o *local.Options) { o.Roots = map[string]string{"src": filepath.Dir(src)} })
	m := sandbox.Manifest{Entries: map[string]sandbox.Entry{"d": {Type: sandbox.EntryLocalDir, Src: "src:" + filepath.Base(src)}}}
	s := create(t, b, m)
	for range 2 {
		if err := s.Start(t.Context()); backend.CodeOf(err) != backend.StartFailed || !strings.Contains(err.Error(), "the sandbox was not started") {
			t.Errorf("start: %v", err)
		}
	}
	if err := errors.Join(os.Remove(filepath.Join(src, "b")), os.Remove(filepath.Join(src, "c")), s.Delete(t.Context())); err != nil {
		t.Fatal(err)
	}
	sh(t, started(t, b, m), "test -f d/a")
}

// TestWorkspaceOfOld measures a workspace that is over its limit while the command runs that makes it smaller. What the
// launcher itself needs for the command is not held against it.
func TestWorkspaceOfOld(t *testing.T) {
	for _, l := range []local.Launcher{local.Native, local.Landlock, local.Unisolated} {
		t.Run(l.String(), func(t *testing.T) {
			if refused(t, l) {
				return
			}
			var used atomic.Int64 // what others write
			ticks := make(chan time.Time)
			dir := filepath.Join(t.TempDir(), "sandboxes")
			s := started(t, newBackend(t, limitedDisk(l), local.WithTicks(ticks, func() (int64, error) { return used.Add(32 * mib), nil }), func(o *local.Options) { o.Dir = dir }), sandbox.Manifest{})
			full, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", "mkfifo go; head -c 17M /dev/zero > f"}})
			if diff := cmp.Diff(diskReached, full.Reached); err != nil || diff != "" {
				t.Fatalf("%v (-want +got):\n%s", err, diff)
			}
			out := &shown{more: make(chan struct{}, 1)}
			ended := make(chan error, 1)
			go func() {
				got, err := s.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", "echo up; read x < go; rm f go; exit 0"}, Stdout: out})
				if err == nil && (got.ExitCode != 0 || len(got.Reached) > 0) {
					err = fmt.Errorf("%+v", got)
				}
				ended <- err
			}()
			out.await(t, "up")
			for range 3 {
				select {
				case ticks <- time.Time{}:
				case err := <-ended:
					t.Fatalf("the command was ended: %v", err)
				}
			}
			pipe, err := os.OpenFile(filepath.Join(dir, id, "workspace", "go"), os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := pipe.Close(); err != nil {
				t.Error(err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}
