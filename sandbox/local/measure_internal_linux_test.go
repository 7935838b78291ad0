package local

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// apart runs f on a thread that ends with it, so that what it changes of itself is nobody else's.
func apart(f func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() { // the main thread does not end
			defer runtime.UnlockOSThread()
			done <- apart(f)
			return
		}
		done <- f()
	}()
	return <-done
}

// TestMeasureClosed checks that directories which are closed to the worker's account are measured, and closed again.
func TestMeasureClosed(t *testing.T) {
	dir, root := rooted(t)
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	const nobody = 65534
	modes := []fs.FileMode{0, 0o055, 0o400, 0o100 | fs.ModeSetgid, 0o700}
	err := apart(func() error {
		if os.Geteuid() == 0 {
			if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, nobody, nobody); errno != 0 {
				return errno
			}
		}
		at := "."
		for range modes {
			at = filepath.Join(at, "d")
			if err := errors.Join(root.Mkdir(at, 0o700), root.WriteFile(filepath.Join(at, "f"), make([]byte, 100_000), 0o600)); err != nil {
				return err
			}
		}
		for i := len(modes) - 1; i >= 0; i, at = i-1, filepath.Dir(at) {
			if err := root.Chmod(at, modes[i]); err != nil {
				return err
			}
		}
		size, files, err := measure(t.Context(), root, math.MaxInt64)
		if size < int64(len(modes))*100_000 || files != 2*len(modes) {
			err = errors.Join(err, errors.New("it is not all measured"))
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if os.Geteuid() != 0 { // of what is closed to this account only the first can be looked at
		defer func(at string, depth int) {
			for range depth { // so that it can be removed
				at = filepath.Join(at, "d")
				_ = os.Chmod(at, 0o700)
			}
		}(dir, len(modes))
		modes = modes[:1]
	}
	at := dir
	for _, want := range modes {
		at = filepath.Join(at, "d")
		info, err := os.Lstat(at)
		if err != nil || info.Mode() != want|fs.ModeDir {
			t.Errorf("a directory of mode %v has %v (%v)", want, info.Mode(), err)
		}
	}
}

// TestMeasureDevice checks that what is mounted in a workspace is not counted.
func TestMeasureDevice(t *testing.T) {
	dir, _ := rooted(t)
	at := filepath.Join(dir, "mounted")
	if err := os.Mkdir(at, 0o700); err != nil {
		t.Fatal(err)
	}
	var files int
	err := apart(func() error {
		if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
			return err
		}
		if err := errors.Join(unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount("tmpfs", at, "tmpfs", 0, "")); err != nil {
			return err
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return err
		}
		defer root.Close()
		if err := root.WriteFile("mounted/f", make([]byte, 100_000), 0o600); err != nil {
			return err
		}
		_, files, err = measure(t.Context(), root, math.MaxInt64)
		return err
	})
	if errors.Is(err, unix.EPERM) {
		t.Logf("this account cannot mount: %v", err)
		return
	}
	if err != nil || files != 0 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestMeasureLayers checks that files count of which overlayfs says that they are on another device than their directory.
func TestMeasureLayers(t *testing.T) {
	dir := t.TempDir()
	var size int64
	err := apart(func() error {
		at := func(name string) string { return filepath.Join(dir, name) }
		err := errors.Join(unix.Unshare(unix.CLONE_NEWNS), unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
		for _, name := range []string{"lower", "other", "all"} {
			err = errors.Join(err, os.Mkdir(at(name), 0o700))
		}
		for _, name := range []string{"lower", "other"} {
			err = errors.Join(err, unix.Mount("tmpfs", at(name), "tmpfs", 0, ""))
		}
		layers := "lowerdir=" + at("lower") + ",upperdir=" + at("other/upper") + ",workdir=" + at("other/work") + ",xino=off"
		err = errors.Join(err, os.Mkdir(at("other/upper"), 0o700), os.Mkdir(at("other/work"), 0o700), unix.Mount("overlay", at("all"), "overlay", 0, layers))
		if err != nil {
			return err
		}
		root, err := os.OpenRoot(at("all"))
		if err != nil {
			return err
		}
		defer root.Close()
		if err := root.WriteFile("f", make([]byte, 100_000), 0o600); err != nil {
			return err
		}
		size, _, err = measure(t.Context(), root, math.MaxInt64)
		return err
	})
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENODEV) {
		t.Logf("this host has no such mounts: %v", err)
		return
	}
	if err != nil || size < 100_000 {
		t.Errorf("%d, %v", size, err)
	}
}
