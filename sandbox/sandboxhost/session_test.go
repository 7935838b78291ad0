package sandboxhost_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// TestSession follows one session through its life.
func TestSession(t *testing.T) {
	r := newRig(t)
	state := r.create(sandbox.Manifest{
		Entries:     map[string]sandbox.Entry{"in/task.md": {Type: "file", Content: "do it\n"}},
		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"REGION": sandbox.EnvLiteral("eu-1")}},
	})
	if state.Type != sandbox.ClientUnixLocal || state.Manifest.Root != "/workspace" || state.Snapshot.Type != sandbox.SnapshotNoop || state.WorkspaceRootOwned {
		t.Errorf("state = %+v", state)
	}
	exec := func(command ...string) operation.ExecResult {
		t.Helper()
		out, err := call[operation.ExecResult](r, owner, operation.Exec, operation.ExecArgs{State: state, Command: command})
		if err != nil {
			t.Fatalf("exec: %v", err)
		}
		return out
	}
	if diff := cmp.Diff(operation.ExecResult{Stdout: []byte("do it\neu-1\n"), Stderr: []byte{}, ExitCode: 3}, exec("cat in/task.md ; printenv REGION ; exit 3")); diff != "" {
		t.Error(diff)
	}
	if out := exec("echo", "two words", "it's"); string(out.Stdout) != "two words it's\n" {
		t.Errorf("quoted to %q", out.Stdout)
	}
	if _, err := call[any](r, owner, operation.Write, operation.WriteArgs{State: state, Path: "out.txt", Data: []byte("done")}); err != nil {
		t.Fatal(err)
	}
	if out, err := call[operation.DataResult](r, owner, operation.Read, operation.ReadArgs{State: state, Path: "out.txt"}); err != nil || string(out.Data) != "done" {
		t.Errorf("read %q, %v", out.Data, err)
	}
	archive, err := call[operation.DataResult](r, owner, operation.Persist, operation.StateArgs{State: state})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := call[any](r, owner, operation.Hydrate, operation.HydrateArgs{State: state, Data: archive.Data}); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		after operation.Name
		want  bool
	}{{"", true}, {operation.Stop, false}, {operation.Start, true}, {operation.Shut, false}} {
		if c.after != "" {
			if _, err := call[any](r, owner, c.after, operation.StopArgs{State: state}); err != nil {
				t.Fatal(err)
			}
		}
		if out, err := call[operation.RunningResult](r, owner, operation.Running, operation.StateArgs{State: state}); err != nil || out.IsRunning != c.want {
			t.Errorf("running after %q = %v, %v", c.after, out.IsRunning, err)
		}
	}
	for range 2 { // ending again succeeds
		for _, name := range []operation.Name{operation.Delete, operation.Stop, operation.Shut} {
			if _, err := call[any](r, owner, name, operation.StopArgs{State: state}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if ids, n := r.fake.Left(); len(ids) > 0 || n > 0 {
		t.Errorf("left: %v, %d commands", ids, n)
	}
	if _, err := call[operation.ExecResult](r, owner, operation.Exec, operation.ExecArgs{State: state, Command: []string{"true"}}); errorType(err) != operation.NotHere {
		t.Errorf("exec after delete: %v", err)
	}
}
