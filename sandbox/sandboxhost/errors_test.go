package sandboxhost_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// TestErrors has a backend fail, and shows both spellings of the format. Nothing that somebody else said is passed on.
func TestErrors(t *testing.T) {
	foreign := errors.New("open /srv/host/secret: hunter2")
	for _, c := range []struct {
		name  string
		point sandboxtest.Point
		op    operation.Name
		err   error
		want  string
		final bool
	}{
		{"terminal", sandboxtest.Read, operation.Read, &backend.Error{Code: backend.ReadNotFound, Message: "local: gone"}, "workspace_read_not_found", true},
		{"retryable", sandboxtest.Read, operation.Read, &backend.Error{Code: backend.ArchiveRead, Message: "m", Retryable: true}, "WorkspaceArchiveReadError", false},
		{"timeout", sandboxtest.Exec, operation.Exec, &backend.Error{Code: backend.ExecTimeout, Message: "x", Retryable: true}, "exec_timeout", true},
		{"foreign start", sandboxtest.Start, operation.Start, foreign, "WorkspaceStartError", false},
		{"foreign running", sandboxtest.Running, operation.Running, foreign, "WorkspaceStartError", false},
		{"foreign stop", sandboxtest.Stop, operation.Stop, foreign, "WorkspaceStopError", false},
		{"foreign shutdown", sandboxtest.Stop, operation.Shut, foreign, "WorkspaceStopError", false},
		{"foreign delete", sandboxtest.Delete, operation.Delete, foreign, "WorkspaceStopError", false},
		{"foreign read", sandboxtest.Read, operation.Read, foreign, "WorkspaceArchiveReadError", false},
		{"foreign persist", sandboxtest.Persist, operation.Persist, foreign, "WorkspaceArchiveReadError", false},
		{"foreign write", sandboxtest.Write, operation.Write, foreign, "WorkspaceArchiveWriteError", false},
		{"foreign hydrate", sandboxtest.Hydrate, operation.Hydrate, foreign, "WorkspaceArchiveWriteError", false},
		{"foreign exec", sandboxtest.Exec, operation.Exec, foreign, operation.MayHaveRun, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			state := r.create(sandbox.Manifest{})
			data, err := json.Marshal(state)
			if err != nil {
				t.Fatal(err)
			}
			r.faults.Fail(c.point, c.err)
			_, err = call[any](r, owner, c.op, json.RawMessage(strings.Replace(operations[c.op], "%", string(data), 1)))
			if errorType(err) != c.want || final(err) != c.final {
				t.Errorf("error = %v, want %s", err, c.want)
			}
			if c.want == "workspace_read_not_found" && !strings.Contains(err.Error(), "file not found: in.txt (type") {
				t.Errorf("the error is not in the format's words: %v", err)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "/srv") || strings.Contains(err.Error(), r.dir) {
				t.Errorf("the error tells too much: %v", err)
			}
		})
	}
}

// TestInvalid refuses arguments that cannot be carried out.
func TestInvalid(t *testing.T) {
	r := newRig(t)
	data, err := json.Marshal(r.create(sandbox.Manifest{}))
	if err != nil {
		t.Fatal(err)
	}
	state := `{"state":` + string(data)
	before := len(r.fake.Effects())
	for _, c := range []struct {
		op         operation.Name
		args, want string
	}{
		{operation.Exec, state + `,"command":[]}`, operation.InvalidArgument},
		{operation.Exec, state + `,"command":[""],"shell":false}`, operation.InvalidArgument},
		{operation.Exec, state + `,"command":["a\u0000b"]}`, operation.InvalidArgument},
		{operation.Exec, state + `,"command":["true"],"user":"a\u0000b"}`, operation.InvalidArgument},
		{operation.Exec, state + `,"command":["true"],"timeout":0}`, "exec_timeout"},
		{operation.Exec, state + `,"command":["true"],"timeout":-1}`, "exec_timeout"},
		{operation.Exec, state + `,"command":"true"}`, operation.InvalidArgument},
		{operation.Read, state + `}`, operation.InvalidArgument},
		{operation.Delete, `{}`, operation.InvalidArgument},
		{operation.PTYExec, state + `,"command":[]}`, operation.InvalidArgument},
		{operation.PTYExec, state + `,"command":["a\u0000b"]}`, operation.InvalidArgument},
		{operation.PTYSend, state + `,"chars":""}`, operation.InvalidArgument},
	} {
		_, err := call[any](r, owner, c.op, json.RawMessage(c.args))
		if errorType(err) != c.want || !final(err) {
			t.Errorf("%s of %s: %v, want %s", c.op, c.args[len(state)-min(len(state), len(c.args)):], err, c.want)
		}
	}
	if got := r.fake.Effects()[before:]; len(got) > 0 {
		t.Errorf("effects: %q", got)
	}
}

// TestTimeout ends a command that takes too long.
func TestTimeout(t *testing.T) {
	r := newRig(t)
	state := r.create(sandbox.Manifest{})
	for timeout, command := range map[float64]string{1e-6: "wait", 1e300: "true", 1e9: "true"} {
		_, err := call[any](r, owner, operation.Exec, operation.ExecArgs{State: state, Command: []string{command}, Timeout: &timeout})
		if want := map[string]string{"wait": "exec_timeout", "true": ""}[command]; errorType(err) != want {
			t.Errorf("timeout %g: %v", timeout, err)
		}
	}
}
