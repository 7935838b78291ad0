package sandboxtest_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

const id = "5b8f7c1e-2222-4333-8444-555555555555"

func started(t *testing.T, b backend.Backend, m sandbox.Manifest) backend.Sandbox {
	t.Helper()
	box, err := b.Create(t.Context(), backend.Spec{ID: id, Manifest: m})
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return box
}

func TestPrograms(t *testing.T) {
	fake := sandboxtest.NewFake()
	box := started(t, fake, sandbox.Manifest{Entries: map[string]sandbox.Entry{"d": {Type: "dir", Children: map[string]sandbox.Entry{"f": {Type: "file", Content: "text"}}}}})
	fake.Handle("seven", func(context.Context, backend.Command) int { return 7 })
	for _, c := range []struct {
		script string
		code   int
		out    string
	}{
		{"echo 'two  words' \"and one\"", 0, "two  words and one\n"},
		{"cat d/f && false && echo never", 1, "text"},
		{"false ; echo on", 0, "on\n"},
		{"seven", 7, ""},
		{"printenv A", 0, "x\n"},
		{"printenv B", 1, ""},
		{"count n && count n && cat n", 0, "2"},
		{"test -f n && rm n && test -f n", 1, ""},
		{"no-such-program", 127, ""},
		{"cat missing", 1, ""},
		{"cat ../../etc/passwd", 1, ""},
	} {
		var out bytes.Buffer
		result, err := box.Exec(t.Context(), backend.Command{Args: []string{"sh", "-c", c.script}, Env: []string{"A=x"}, Stdout: &out})
		if err != nil || result.ExitCode != c.code || out.String() != c.out {
			t.Errorf("%s: %d, %q, %v", c.script, result.ExitCode, out.String(), err)
		}
	}
	_, err := box.Exec(t.Context(), backend.Command{Args: []string{"wait"}, Timeout: time.Nanosecond})
	if backend.CodeOf(err) != backend.ExecTimeout {
		t.Errorf("timeout: %v", err)
	}
	if _, err := box.Exec(t.Context(), backend.Command{Args: []string{"no-such-program"}}); backend.CodeOf(err) != backend.ExecTransport {
		t.Errorf("missing program: %v", err)
	}
}

// TestProcesses tells what several processes of a host share.
func TestProcesses(t *testing.T) {
	first := sandboxtest.NewFake()
	box := started(t, first, sandbox.Manifest{})
	running, ended := make(chan struct{}), make(chan int)
	first.Handle("hold", func(ctx context.Context, _ backend.Command) int {
		close(running)
		<-ctx.Done()
		return 0
	})
	go func() {
		result, _ := box.Exec(context.WithoutCancel(t.Context()), backend.Command{Args: []string{"hold"}})
		ended <- result.ExitCode
	}()
	<-running
	second := first.Another()
	other, err := second.Open(t.Context(), backend.Spec{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ids, commands := second.Left(); len(ids) != 1 || commands != 1 {
		t.Errorf("another process sees %v, %d commands", ids, commands)
	}
	first.Kill()
	if code := <-ended; code != -9 {
		t.Errorf("killed command: %d", code)
	}
	if err := second.Delete(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if err := second.Delete(t.Context(), id); err != nil {
		t.Errorf("deleting again: %v", err)
	}
	if _, err := first.Open(t.Context(), backend.Spec{ID: id}); !errors.Is(err, backend.ErrNotFound) {
		t.Errorf("open: %v", err)
	}
	if diff := cmp.Diff([]string{"create " + id, "start " + id, "exec " + id + " hold", "stop " + id, "delete " + id}, first.Effects()); diff != "" {
		t.Error(diff)
	}
}

func TestArchive(t *testing.T) {
	box := started(t, sandboxtest.NewFake(), sandbox.Manifest{Entries: map[string]sandbox.Entry{
		"kept": {Type: "file", Content: "k"}, "gone": {Type: "file", Content: "g", Ephemeral: true},
	}})
	var archive bytes.Buffer
	if err := box.Persist(t.Context(), &archive); err != nil {
		t.Fatal(err)
	}
	box = started(t, sandboxtest.NewFake(), sandbox.Manifest{})
	if err := box.Hydrate(t.Context(), &archive); err != nil {
		t.Fatal(err)
	}
	if data, err := box.Read(t.Context(), "kept"); err != nil || string(data) != "k" {
		t.Errorf("kept: %q, %v", data, err)
	}
	if _, err := box.Read(t.Context(), "gone"); backend.CodeOf(err) != backend.ReadNotFound {
		t.Errorf("gone: %v", err)
	}
	if err := box.Hydrate(t.Context(), bytes.NewReader([]byte("no archive, but long enough to be read as one"))); backend.CodeOf(err) != backend.ArchiveWrite {
		t.Errorf("broken archive: %v", err)
	}
}

func TestFaults(t *testing.T) {
	fake := sandboxtest.NewFake()
	faults := sandboxtest.NewFaults(fake)
	box := started(t, faults, sandbox.Manifest{})
	first, after := errors.New("first"), errors.New("after")
	faults.Fail(sandboxtest.Write, first, nil)
	faults.Fail(sandboxtest.Write.After(), nil, after)
	for _, want := range []error{first, nil, after, nil} {
		if err := box.Write(t.Context(), "f", nil); !errors.Is(err, want) {
			t.Errorf("write: %v, want %v", err, want)
		}
	}
	gate := faults.Hold(sandboxtest.Stop)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- box.Stop(ctx) }()
	<-gate.Reached()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("stop: %v", err)
	}
	gate.Open()
	if err := box.Stop(t.Context()); err != nil {
		t.Errorf("stop: %v", err)
	}
	if got := len(fake.Effects()); got != 6 {
		t.Errorf("effects: %q", fake.Effects())
	}
}
