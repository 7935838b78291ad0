package sandboxhost

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// TestQueue has the queue of a host outlive it, and differ between directories and providers.
func TestQueue(t *testing.T) {
	queue := func(provider, dir string) string {
		t.Helper()
		disk, err := openStore(dir)
		if err != nil {
			t.Fatal(err)
		}
		name, err := (&Host{provider: provider, store: disk}).ownQueue()
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	dir, other := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	first := queue("local", dir)
	if again := queue("local", dir); again != first || !strings.HasPrefix(first, "local-host-") {
		t.Errorf("queues %s and %s on one directory", first, again)
	}
	if queue("local", other) == first || queue("docker", dir) == first {
		t.Errorf("two hosts with the queue %s", first)
	}
	if info, err := os.Stat(filepath.Join(dir, queueFile)); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("file of the queue: %v, %v", info, err)
	}
}

// TestQueueOnce has hosts that begin at the same time agree.
func TestQueueOnce(t *testing.T) {
	disk, err := openStore(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 16)
	var work sync.WaitGroup
	for i := range names {
		work.Go(func() {
			name, err := disk.queue()
			if err != nil {
				t.Error(err)
			}
			names[i] = name
		})
	}
	work.Wait()
	for _, name := range names {
		if name == "" || name != names[0] {
			t.Errorf("names %q", names)
		}
	}
	if left, err := filepath.Glob(filepath.Join(disk.dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// TestQueueUnreadable follows no name that the host did not make.
func TestQueueUnreadable(t *testing.T) {
	disk, err := openStore(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(disk.dir, queueFile), []byte("agents"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := disk.queue(); !errors.Is(err, errQueueFile) || strings.Contains(err.Error(), disk.dir) {
		t.Errorf("error = %v", err)
	}
}
