package validation

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

const (
	reportPolicy  = "version: 1\ndefault: {mode: report}\n"
	enforcePolicy = "version: 1\ndefault: {mode: enforce}\n"
)

// watched is a policy file with a watcher that looks when the test says so. The
// goroutine around it is tested from outside the package.
type watched struct {
	*watcher
	t       *testing.T
	digests []string
	errs    []error
}

func newWatched(t *testing.T, content string) *watched {
	t.Helper()
	w := &watched{t: t}
	path := filepath.Join(t.TempDir(), "policy.yaml")
	w.write(path, content)
	inner, err := newWatcher(path, WatchOptions{
		OnReload: func(digest string) { w.digests = append(w.digests, digest) },
		OnError:  func(err error) { w.errs = append(w.errs, err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.watcher = inner
	return w
}

func (w *watched) write(path, content string) {
	w.t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// change writes the file and looks n times.
func (w *watched) change(content string, n int) {
	w.t.Helper()
	w.write(w.path, content)
	for range n {
		w.look()
	}
}

func (w *watched) mode() Mode {
	policy, _ := w.policies.PolicyFor(Queue{Name: "agents"})
	return policy.Mode()
}

func TestWatcherTakesChanges(t *testing.T) {
	w := newWatched(t, reportPolicy)
	before := w.policies.Digest()
	w.change(enforcePolicy, 1)
	if w.mode() != ModeReport {
		t.Error("a change is taken at the first look")
	}
	w.look()
	if w.mode() != ModeEnforce {
		t.Errorf("mode is %s after two looks, want enforce", w.mode())
	}
	if len(w.digests) != 1 || w.digests[0] != w.policies.Digest() || w.digests[0] == before {
		t.Errorf("OnReload was told %q, want the one new digest %q", w.digests, w.policies.Digest())
	}
	w.change(enforcePolicy+"# a comment\n", 3)
	if len(w.digests) != 1 || len(w.errs) != 0 {
		t.Errorf("a comment counts as a change: %q, %v", w.digests, w.errs)
	}
}

// TestWatcherTakesSettledContentOnly shows that a file that is seen half written
// is neither taken for a shorter policy nor reported.
func TestWatcherTakesSettledContentOnly(t *testing.T) {
	w := newWatched(t, reportPolicy)
	for _, passing := range []string{"version: 1\n", "", enforcePolicy, reportPolicy + "queues: {agents: {mode: enforce}}\n"} {
		w.change(passing, 1)
	}
	w.change(reportPolicy, 3)
	if len(w.digests) != 0 || len(w.errs) != 0 {
		t.Errorf("passing contents were taken: %q, %v", w.digests, w.errs)
	}
}

func TestWatcherKeepsTheLastGoodFile(t *testing.T) {
	w := newWatched(t, enforcePolicy)
	before := w.policies.Digest()
	w.change("version: 1\ndefault: {mod: report}\n", 5)
	var faulty *FileError
	if len(w.errs) != 1 || !errors.As(w.errs[0], &faulty) || faulty.Problems[0].Line != 2 {
		t.Fatalf("OnError was told %v, want one error with the place", w.errs)
	}
	if w.policies.Digest() != before || w.mode() != ModeEnforce {
		t.Error("the last good file is no longer in force")
	}
	if err := os.Remove(w.path); err != nil {
		t.Fatal(err)
	}
	w.look()
	w.look()
	if len(w.errs) != 2 || !errors.Is(w.errs[1], fs.ErrNotExist) {
		t.Fatalf("OnError was told %v, want one more error for the missing file", w.errs)
	}
	if w.policies.Digest() != before {
		t.Error("a missing file changes the policy")
	}
	w.change(reportPolicy, 2)
	if w.mode() != ModeReport || len(w.digests) != 1 {
		t.Error("the file is not taken after it came back")
	}
}

// TestWatcherReportsAgain shows that a fault that comes back is a new change.
func TestWatcherReportsAgain(t *testing.T) {
	w := newWatched(t, enforcePolicy)
	w.change("version: 2\n", 2)
	w.change(enforcePolicy, 2)
	w.change("version: 2\n", 2)
	if len(w.errs) != 2 || len(w.digests) != 0 {
		t.Errorf("OnError was told %v and OnReload %q, want two errors", w.errs, w.digests)
	}
}
