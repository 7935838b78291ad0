package sandboxhost_test

import (
	"errors"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestNotBegun: an error tells whether it came before a command, a write or an unpacking began. Its type is that of
// any other, and no attempt speaks for an earlier one.
func TestNotBegun(t *testing.T) {
	readOnly := &backend.Error{Code: backend.ArchiveWrite, Message: "read-only", NotBegun: true}
	transport := &backend.Error{Code: backend.ExecTransport, Message: "not started", Retryable: true}
	for _, c := range []struct {
		name    string
		op      operation.Name
		point   sandboxtest.Point
		err     error
		attempt int32
		want    string
		unbegun bool
	}{
		{"exec, not opened", operation.Exec, sandboxtest.Open, errors.New("x"), 1, "ExecTransportError", true},
		{"write, not opened", operation.Write, sandboxtest.Open, errors.New("x"), 1, "WorkspaceArchiveWriteError", true},
		{"hydrate, not opened", operation.Hydrate, sandboxtest.Open, errors.New("x"), 1, "WorkspaceArchiveWriteError", true},
		{"exec, not opened by a later attempt", operation.Exec, sandboxtest.Open, errors.New("x"), 2, "ExecTransportError", false},
		{"exec, not started again", operation.Exec, sandboxtest.Start, errors.New("x"), 1, "ExecTransportError", true},
		{"exec, not started", operation.Exec, sandboxtest.Exec, transport, 1, "ExecTransportError", true},
		{"exec, failed", operation.Exec, sandboxtest.Exec, errors.New("x"), 1, operation.MayHaveRun, false},
		{"write, failed", operation.Write, sandboxtest.Write, errors.New("x"), 1, "WorkspaceArchiveWriteError", false},
		{"write, refused", operation.Write, sandboxtest.Write, readOnly, 1, "workspace_archive_write_error", true},
		{"write, refused to a later attempt", operation.Write, sandboxtest.Write, readOnly, 2, "workspace_archive_write_error", false},
		{"hydrate, failed", operation.Hydrate, sandboxtest.Hydrate, errors.New("x"), 1, "WorkspaceArchiveWriteError", false},
		{"exec, sandbox gone", operation.Exec, sandboxtest.Open, backend.ErrNotFound, 1, operation.NotHere, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			state := r.create(sandbox.Manifest{})
			r.restart() // so that the sandbox is opened and started once more
			r.faults.Fail(c.point, c.err)
			w := owner
			w.attempt = c.attempt
			args := map[operation.Name]any{
				operation.Exec:    operation.ExecArgs{State: state, Command: []string{"true"}},
				operation.Write:   operation.WriteArgs{State: state, Path: "f", Data: []byte("x")},
				operation.Hydrate: operation.HydrateArgs{State: state, Data: []byte{}},
			}[c.op]
			_, err := call[any](r, w, c.op, args)
			if errorType(err) != c.want || operation.IsUnbegun(err) != c.unbegun {
				t.Errorf("error = %v, want %s, not begun: %t", err, c.want, c.unbegun)
			}
		})
	}
}

// TestSecretsNotBegun: what is missing for a command was missing before it began.
func TestSecretsNotBegun(t *testing.T) {
	r := newRig(t)
	state := r.create(withToken())
	w := owner
	w.binder = newBinder(t, map[string]string{"env:PROD_TOKEN": secretstest.Canary(t)})
	if _, err := r.exec(w, state, "true"); err != nil {
		t.Fatal(err)
	}
	r.restart()
	if _, err := r.exec(owner, state, "true"); errorType(err) != "sandboxguard.NoGuard" || !operation.IsUnbegun(err) {
		t.Errorf("without a guard: %v", err)
	}
	w.binder = newBinder(t, nil)
	if _, err := r.exec(w, state, "true"); errorType(err) != "TemporalWorkerEnvValueUnresolved" || !operation.IsUnbegun(err) {
		t.Errorf("without the value: %v", err)
	}
}
