package dirlock_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/dirlock"
)

// TestTake gives a directory to one at a time.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		release, err := dirlock.Take(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dirlock.Take(dir); !errors.Is(err, dirlock.ErrHeld) {
			t.Errorf("a second time: %v", err)
		}
		if err := release(); err != nil {
			t.Error(err)
		}
	}
	if _, err := dirlock.Take(filepath.Join(dir, "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}

const heldDir = "DIRLOCK_TEST_DIR"

// TestProcess keeps out what holds the directory in another process, until that is killed.
func TestProcess(t *testing.T) {
	if dir := os.Getenv(heldDir); dir != "" {
		if _, err := dirlock.Take(dir); err != nil {
			t.Fatal(err)
		}
		_, _ = os.Stdout.Write([]byte{'\n'})
		_, _ = os.Stdin.Read(make([]byte, 1)) // until it is killed
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestProcess$")
	cmd.Env = append(os.Environ(), heldDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // which nothing comes through
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, ready := out.Read(make([]byte, 1))
	_, held := dirlock.Take(dir)
	killed := cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	if ready != nil || !errors.Is(held, dirlock.ErrHeld) || killed != nil {
		t.Errorf("while the other has it: %v, %v, %v", ready, held, killed)
	}
	release, err := dirlock.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}
