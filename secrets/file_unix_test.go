//go:build unix

package secrets_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/secrets"
)

func link(t *testing.T, dir, name, target string) {
	t.Helper()
	if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

func TestFileProviderFollowsLinksInside(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	dir := filepath.Join(base, "secrets")
	write(t, base, "outside/token", "hunter2")
	write(t, dir, "real/token", "inside")
	link(t, dir, "file-inside", "real/token")
	link(t, dir, "dir-inside", "real")
	link(t, dir, "chain", "dir-inside/../file-inside")
	link(t, dir, "file-outside", "../outside/token")
	link(t, dir, "file-absolute", filepath.Join(base, "outside", "token"))
	link(t, dir, "dir-outside", "../outside")
	link(t, dir, "out-and-in", "../secrets/real/token")
	link(t, dir, "absolute-in", filepath.Join(dir, "real", "token"))
	link(t, dir, "loop", "loop")
	link(t, dir, "dangling", "nowhere")
	link(t, dir, "device", "/dev/zero")
	link(t, dir, "proc", "/proc/self/environ")
	p := newFiles(t, dir, secrets.FileOptions{Allow: secrets.AllowAll{}})
	for _, tc := range []struct {
		name string
		want error
	}{
		{"file-inside", nil},
		{"dir-inside/token", nil},
		{"chain", nil},
		{"file-outside", secrets.ErrDenied},
		{"file-absolute", secrets.ErrDenied},
		{"dir-outside/token", secrets.ErrDenied},
		{"out-and-in", secrets.ErrDenied},
		{"absolute-in", secrets.ErrDenied},
		{"loop", secrets.ErrDenied},
		{"dangling", secrets.ErrNotFound},
		{"device", secrets.ErrDenied},
		{"proc", secrets.ErrDenied},
		{"dir-inside", secrets.ErrDenied},
	} {
		got, err := readFile(t, p, tc.name)
		if !errors.Is(err, tc.want) || (tc.want == nil) != (got == "inside") {
			t.Errorf("%s: %q, %v, want %v", tc.name, got, err, tc.want)
		}
		if err != nil && (strings.Contains(err.Error(), base) || strings.Contains(err.Error(), "../")) {
			t.Errorf("%s: the error shows where the link leads: %v", tc.name, err)
		}
	}
}

// What is no regular file is refused, and opening it does not wait.
func TestFileProviderRefusesSpecialFiles(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "s") //nolint:usetesting // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, "socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	link(t, dir, "to-pipe", "pipe")
	special := newFiles(t, dir, secrets.FileOptions{Allow: secrets.AllowAll{}})
	devices := newFiles(t, "/dev", secrets.FileOptions{Allow: secrets.AllowAll{}})
	for name, p := range map[string]*secrets.FileProvider{
		"pipe": special, "to-pipe": special, "socket": special, "zero": devices, "null": devices, "tty": devices,
	} {
		within(t, func() {
			if got, err := readFile(t, p, name); !errors.Is(err, secrets.ErrDenied) || got != "" {
				t.Errorf("%s: %q, %v, want ErrDenied", name, got, err)
			}
		})
	}
}

// A file that becomes a pipe between the look and the opening does not stop the
// worker either.
func TestFileProviderSurvivesSwaps(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "file", "hunter2")
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newFiles(t, dir, secrets.FileOptions{Allow: secrets.AllowAll{}})
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			from := []string{"file", "pipe"}[i%2]
			next := filepath.Join(dir, "next")
			if err := errors.Join(os.Link(filepath.Join(dir, from), next), os.Rename(next, filepath.Join(dir, "token"))); err != nil {
				t.Errorf("swap: %v", err)
				return
			}
			_ = os.Remove(next) // renaming one name of a file to another name of it does nothing
		}
	}()
	within(t, func() {
		for range 2000 {
			got, err := readFile(t, p, "token")
			known := errors.Is(err, secrets.ErrDenied) || errors.Is(err, secrets.ErrNotFound)
			if err == nil && got != "hunter2" || err != nil && !known {
				t.Errorf("Resolve gives %q, %v", got, err)
			}
		}
	})
	close(stop)
	<-stopped
}

// TestFileProviderFollowsRotation rotates a directory as the kubelet does: the
// secret is a link to ..data/NAME, ..data is a link to a directory of one
// version, and a new version replaces ..data and removes the old one.
func TestFileProviderFollowsRotation(t *testing.T) {
	t.Parallel()
	const versions = 150
	dir := t.TempDir()
	publish := func(version int) error {
		sub := fmt.Sprintf("..2025_01_01_%d", version)
		err := errors.Join(
			os.Mkdir(filepath.Join(dir, sub), 0o700),
			os.WriteFile(filepath.Join(dir, sub, "token"), fmt.Appendf(nil, "version-%04d", version), 0o600),
			os.Symlink(sub, filepath.Join(dir, "..data_tmp")),
			os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")),
		)
		if version > 0 {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, fmt.Sprintf("..2025_01_01_%d", version-1))))
		}
		return err
	}
	if err := publish(0); err != nil {
		t.Fatal(err)
	}
	link(t, dir, "token", "..data/token")
	p := newFiles(t, dir, secrets.FileOptions{Allow: secrets.Names{"token"}})

	rotated := make(chan error, 1)
	go func() {
		var err error
		for v := 1; v <= versions && err == nil; v++ {
			err = publish(v)
		}
		rotated <- err
	}()
	last := ""
	for reading := true; reading; {
		select {
		case err := <-rotated:
			if err != nil {
				t.Fatal(err)
			}
			reading = false // once more, for the last version
		default:
		}
		got, err := readFile(t, p, "token")
		if err != nil || len(got) != len("version-0000") || got < last {
			t.Errorf("during a rotation Resolve gives %q, %v, after %q", got, err, last)
		}
		last = got
	}
	if want := fmt.Sprintf("version-%04d", versions); last != want {
		t.Errorf("after the rotations Resolve gives %q, want %q", last, want)
	}
}

func TestFileProviderWithoutPermission(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "token", "hunter2")
	if err := os.Chmod(filepath.Join(dir, "token"), 0); err != nil {
		t.Fatal(err)
	}
	p := newFiles(t, dir, secrets.FileOptions{Allow: secrets.AllowAll{}})
	_, err := readFile(t, p, "token")
	if os.Geteuid() == 0 { // may read everything
		if err != nil {
			t.Errorf("Resolve: %v", err)
		}
	} else if !errors.Is(err, secrets.ErrDenied) {
		t.Errorf("Resolve: %v, want ErrDenied", err)
	}
}

// within fails the test if f takes longer than anything that waits for nobody.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("still waiting after 30 seconds")
	}
}
