//go:build linux || darwin

package local_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// limitFiles lets this process write no file that is larger. The tests of the package do not run side by side.
func limitFiles(t *testing.T, size uint64) {
	t.Helper()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	small := was
	small.Cur = size
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was) })
}

// TestFailedWrites checks that a file that cannot be replaced is as it was, and that nothing else is left. It runs in a
// process of its own: the limit would also hold for the log that go test has of the files that were opened.
func TestFailedWrites(t *testing.T) {
	const alone = "SANDBOX_LOCAL_TEST_ALONE"
	if os.Getenv(alone) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestFailedWrites$", "-test.v")
		cmd.Env = append(os.Environ(), alone+"=yes")
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: TestFailedWrites/hydrate")) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	large := strings.Repeat("x", 96<<20)
	for name, write := range map[string]func(backend.Sandbox) error{
		"write": func(s backend.Sandbox) error { return s.Write(t.Context(), "file", []byte(large)) },
		"link":  func(s backend.Sandbox) error { return s.Write(t.Context(), "link", []byte(large)) },
		"new":   func(s backend.Sandbox) error { return s.Write(t.Context(), "other", []byte(large)) },
		"hydrate": func(s backend.Sandbox) error {
			return s.Hydrate(t.Context(), bytes.NewReader(packedOf(t, archive(t, tar.Header{Name: "file"}, large))))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := started(t, newBackend(t), sandbox.Manifest{})
			sh(t, s, "echo old > file; ln -s file link")
			limitFiles(t, 64<<20) // more than the files that the test itself writes
			if err := write(s); backend.CodeOf(err) != backend.ArchiveWrite {
				t.Errorf("write: %v", err)
			}
			if diff := cmp.Diff(".\n..\nfile\nlink\nold\n", sh(t, s, "ls -a; cat file")); diff != "" {
				t.Errorf("left (-want +got)\n%s", diff)
			}
		})
	}
}

// TestReplaced checks that a file keeps its mode and a link its place, and that links are followed as the system does.
func TestReplaced(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	sh(t, s, "umask 0; mkdir -p a/b c; echo old > file; chmod 750 file; ln -s ../file c/up; ln -s c/up link; ln -s a/b deep; ln -s deep/../new through; ln file hard; ln -s third a/second; ln -s deep/../second chain")
	for _, name := range []string{"link", "through", "plain", "chain"} {
		if err := s.Write(t.Context(), name, []byte(name+"\n")); err != nil {
			t.Errorf("write of %s: %v", name, err)
		}
	}
	want := "link\nthrough\nold\nchain\n-rwxr-x---\nc/up ../file deep/../new\n"
	got := sh(t, s, "cat file a/new hard a/third; ls -l file | cut -c 1-10; echo $(readlink link c/up through)")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestParts checks that what a killed worker left of a write is in no archive.
func TestParts(t *testing.T) {
	s := started(t, newBackend(t), sandbox.Manifest{})
	sh(t, s, "mkdir d; echo x > d/.sandboxguard-part-X; echo x > kept")
	if diff := cmp.Diff([]string{"./", "./d/", "./kept"}, persisted(t, s)); diff != "" {
		t.Errorf("members (-want +got)\n%s", diff)
	}
}

// persisted returns the names of the members of the archive of a sandbox.
func persisted(t *testing.T, s backend.Sandbox) []string {
	t.Helper()
	var out bytes.Buffer
	if err := s.Persist(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(&out); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return names
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
}
