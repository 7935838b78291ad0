package validation_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/validation"
)

const (
	reportPolicy  = "version: 1\ndefault: {mode: report}\n"
	enforcePolicy = "version: 1\ndefault: {mode: enforce}\n"
)

// TestWatchFollowsLinks shows the layout of a Kubernetes volume: the file is a
// link through a directory link that is swapped.
func TestWatchFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"v1": reportPolicy, "v2": enforcePolicy} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "policy.yaml"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("v1", "..data")
	link(filepath.Join("..data", "policy.yaml"), "policy.yaml")
	tick := make(chan time.Time, 2)
	reloaded := make(chan string, 1)
	policies, err := validation.Watch(t.Context(), filepath.Join(dir, "policy.yaml"), validation.WatchOptions{
		Tick:     tick,
		OnReload: func(digest string) { reloaded <- digest },
	})
	if err != nil {
		t.Fatal(err)
	}
	link("v2", "..new")
	if err := os.Rename(filepath.Join(dir, "..new"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	tick <- time.Time{}
	tick <- time.Time{}
	if digest := <-reloaded; digest != policies.Digest() {
		t.Errorf("OnReload was told %s, want %s", digest, policies.Digest())
	}
	policy, _ := policies.PolicyFor(validation.Queue{})
	if policy.Mode() != validation.ModeEnforce {
		t.Errorf("mode is %s after the swap, want enforce", policy.Mode())
	}
}

// TestWatchEnds shows, with the check for leaks, that the watch ends with its
// context, and that the policies stay usable.
func TestWatchEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(path, []byte(enforcePolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	closed := make(chan time.Time)
	close(closed)
	for _, opts := range []validation.WatchOptions{{}, {Interval: time.Hour}, {Tick: make(chan time.Time)}, {Tick: closed}} {
		ctx, cancel := context.WithCancel(t.Context())
		policies, err := validation.Watch(ctx, path, opts)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if policy, ok := policies.PolicyFor(validation.Queue{}); !ok || policy.Mode() != validation.ModeEnforce {
			t.Error("the policies end with the watch")
		}
	}
}

func TestWatchNeedsAGoodFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "policy.yaml")
	if _, err := validation.Watch(t.Context(), path, validation.WatchOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file gives %v, want %v", err, fs.ErrNotExist)
	}
	if err := os.WriteFile(path, []byte("version: 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var faulty *validation.FileError
	if _, err := validation.Watch(t.Context(), path, validation.WatchOptions{}); !errors.As(err, &faulty) {
		t.Errorf("a faulty file gives %v, want a FileError", err)
	}
}

func TestLoadPoliciesHidesTheDirectory(t *testing.T) {
	dir := t.TempDir()
	_, missing := validation.LoadPolicies(filepath.Join(dir, "policy.yaml"))
	_, directory := validation.LoadPolicies(dir)
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte(reportPolicy+"#"+strings.Repeat("x", 1<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, tooLarge := validation.LoadPolicies(large)
	for name, err := range map[string]error{"missing": missing, "a directory": directory, "too large": tooLarge} {
		if err == nil || strings.Contains(err.Error(), filepath.Dir(dir)) {
			t.Errorf("%s gives %v, want an error without the directory", name, err)
		}
	}
	if !strings.Contains(tooLarge.Error(), "large.yaml") {
		t.Errorf("the error does not name the file: %v", tooLarge)
	}
}
