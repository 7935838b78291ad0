package sandboxhost_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// TestWire holds the operations to what the format says of them, one sentence in each case. They are called as a
// runner of the format does, with JSON, in which % is the state.
func TestWire(t *testing.T) {
	restart := func(r *rig, _ sandbox.SessionState) { r.restart() }
	for _, c := range []struct {
		op       operation.Name
		sentence string
		before   func(*rig, sandbox.SessionState)
		args     string
		want     string   // the result, in which % is the state; or the type of the error
		effects  []string // in the sandbox, in which % is its id
	}{
		{operation.Start, "a repeated start succeeds", nil, `{"state":%}`, ``, []string{"start %"}},
		{operation.Running, "true after start", nil, `{"state":%}`, `{"is_running":true}`, nil},
		{operation.Running, "false in another process, until start", restart, `{"state":%}`, `{"is_running":false}`, nil},
		{operation.Running, "false after stop, which ends all", func(r *rig, s sandbox.SessionState) {
			_, _ = call[any](r, owner, operation.Stop, operation.StopArgs{State: s})
		}, `{"state":%}`, `{"is_running":false}`, nil},
		{operation.Exec, "after stop needs a start", func(r *rig, s sandbox.SessionState) {
			_, _ = call[any](r, owner, operation.Stop, operation.StopArgs{State: s})
		}, `{"state":%,"command":["true"]}`, "exec_transport_error", nil},
		{operation.Exec, "one element stands raw behind the default shell", nil, `{"state":%,"command":["echo $A | cat"]}`, `{"stdout":"JEEgfCBjYXQK","stderr":"","exit_code":0}`, []string{"exec % sh -c echo $A | cat"}},
		{operation.Exec, "several elements are quoted and joined", nil, `{"state":%,"command":["echo","a b"],"shell":true}`, `{"stdout":"YSBiCg==","stderr":"","exit_code":0}`, []string{"exec % sh -c echo 'a b'"}},
		{operation.Exec, "a list is the shell", nil, `{"state":%,"command":["true"],"shell":["bash","-lc"]}`, `{"stdout":"","stderr":"","exit_code":0}`, []string{"exec % bash -lc true"}},
		{operation.Exec, "false means no shell", nil, `{"state":%,"command":["echo","a b"],"shell":false}`, `{"stdout":"YSBiCg==","stderr":"","exit_code":0}`, []string{"exec % echo a b"}},
		{operation.Exec, "the empty list means no shell", nil, `{"state":%,"command":["true"],"shell":[]}`, `{"stdout":"","stderr":"","exit_code":0}`, []string{"exec % true"}},
		{operation.Exec, "an exit code other than 0 is success", nil, `{"state":%,"command":["exit 3"],"timeout":10.0,"user":null}`, `{"stdout":"","stderr":"","exit_code":3}`, []string{"exec % sh -c exit 3"}},
		{operation.Exec, "a missing program is 127 behind a shell", nil, `{"state":%,"command":["nowhere"]}`, `{"stdout":"","stderr":"","exit_code":127}`, []string{"exec % sh -c nowhere"}},
		{operation.Exec, "a missing program without a shell was not started", nil, `{"state":%,"command":["nowhere"],"shell":false}`, "exec_transport_error", []string{"exec % nowhere"}},
		{operation.Exec, "a timeout that is over from the start", nil, `{"state":%,"command":["true"],"timeout":0}`, "exec_timeout", nil},
		{operation.Exec, "an empty command is invalid", nil, `{"state":%,"command":[]}`, operation.InvalidArgument, nil},
		{operation.Exec, "an empty script is one", nil, `{"state":%,"command":[""]}`, `{"stdout":"","stderr":"","exit_code":0}`, []string{"exec % sh -c "}},
		{operation.Exec, "an empty user is the default one", nil, `{"state":%,"command":["true"],"user":""}`, `{"stdout":"","stderr":"","exit_code":0}`, []string{"exec % sh -c true"}},
		{operation.Exec, "a session that ended is unknown", func(r *rig, s sandbox.SessionState) {
			_, _ = call[any](r, owner, operation.Delete, operation.StopArgs{State: s})
		}, `{"state":%,"command":["true"]}`, operation.NotHere, nil},
		{operation.Read, "a missing file", nil, `{"state":%,"path":"gone"}`, "workspace_read_not_found", []string{"read % gone"}},
		{operation.Read, "a path is made plain first", nil, `{"state":%,"path":"d/../in.txt"}`, `{"data":"eA=="}`, []string{"read % in.txt"}},
		{operation.Read, "a path below the root may be absolute", nil, `{"state":%,"path":"/workspace/in.txt"}`, `{"data":"eA=="}`, []string{"read % in.txt"}},
		{operation.Read, "no path leads out", nil, `{"state":%,"path":"/etc/passwd"}`, "invalid_manifest_path", nil},
		{operation.Read, "an operation opens a session that the process does not know", restart, `{"state":%,"path":"in.txt"}`, `{"data":"eA=="}`, []string{"read % in.txt"}},
		{operation.Write, "data may be empty, directories are made", nil, `{"state":%,"path":"a/b","data":""}`, ``, []string{"write % a/b"}},
		{operation.Write, "a directory is no target", nil, `{"state":%,"path":".","data":""}`, "workspace_archive_write_error", nil},
		{operation.Hydrate, "data is base64 of the standard alphabet", nil, `{"state":%,"data":"_-8="}`, operation.InvalidArgument, nil},
		{operation.Write, "data must not be null", nil, `{"state":%,"path":"a","data":null}`, operation.InvalidArgument, nil},
		{operation.Stop, "succeeds again", func(r *rig, s sandbox.SessionState) {
			_, _ = call[any](r, owner, operation.Stop, operation.StopArgs{State: s})
		}, `{"state":%}`, ``, []string{"stop %"}},
		{operation.Shut, "does not open a session that the process does not know", restart, `{"state":%}`, ``, nil},
		{operation.Shut, "succeeds after delete", func(r *rig, s sandbox.SessionState) {
			_, _ = call[any](r, owner, operation.Delete, operation.StopArgs{State: s})
		}, `{"state":%}`, ``, nil},
		{operation.Delete, "tolerates that the sandbox is stopped", func(r *rig, s sandbox.SessionState) {
			_, _ = call[any](r, owner, operation.Shut, operation.StopArgs{State: s})
		}, `{"state":%}`, ``, []string{"delete %"}},
		{operation.Delete, "succeeds a second time", func(r *rig, s sandbox.SessionState) {
			_, _ = call[any](r, owner, operation.Delete, operation.StopArgs{State: s})
		}, `{"state":%}`, ``, nil},
		{operation.Delete, "succeeds a second time in another process", func(r *rig, s sandbox.SessionState) {
			_, _ = call[any](r, owner, operation.Delete, operation.StopArgs{State: s})
			r.restart()
		}, `{"state":%}`, ``, nil},
		{operation.Resume, "returns the state and starts nothing", nil, `{"state":%}`, `{"state":%,"supports_pty":true}`, nil},
	} {
		t.Run(string(c.op)+"/"+c.sentence, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			state := r.create(sandbox.Manifest{Entries: map[string]sandbox.Entry{"in.txt": {Type: "file", Content: "x"}}})
			if c.before != nil {
				c.before(r, state)
			}
			text := asJSON(t, state)
			before := len(r.fake.Effects())
			out, err := call[json.RawMessage](r, owner, c.op, json.RawMessage(strings.Replace(c.args, "%", text, 1)))
			switch {
			case c.want == "" || c.want[0] == '{':
				if diff := cmp.Diff(strings.Replace(c.want, "%", text, 1), string(out)); err != nil || diff != "" {
					t.Errorf("error %v, result (-want +got):\n%s", err, diff)
				}
			case errorType(err) != c.want || !final(err):
				t.Errorf("error = %v, want %s", err, c.want)
			}
			var effects []string
			for _, e := range r.fake.Effects()[before:] {
				effects = append(effects, strings.ReplaceAll(e, state.SessionID, "%"))
			}
			if diff := cmp.Diff(c.effects, effects); diff != "" {
				t.Errorf("effects (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWireCreate makes a sandbox and leaves it to start to fill it.
func TestWireCreate(t *testing.T) {
	r := newRig(t)
	out, err := call[operation.SessionResult](r, owner, operation.Create, json.RawMessage(`{"snapshot_spec":null,"manifest":{"entries":{"in.txt":{"type":"file","content":"x"}}},"client_options":{"type":"unix_local"}}`))
	if err != nil {
		t.Fatal(err)
	}
	read := operation.ReadArgs{State: out.State, Path: "in.txt"}
	if _, err := call[any](r, owner, operation.Read, read); errorType(err) != "workspace_read_not_found" {
		t.Errorf("read before start: %v", err)
	}
	if running, err := call[operation.RunningResult](r, owner, operation.Running, operation.StateArgs{State: out.State}); err != nil || running.IsRunning {
		t.Errorf("running before start: %v, %v", running, err)
	}
	if _, err := call[any](r, owner, operation.Start, operation.StateArgs{State: out.State}); err != nil {
		t.Fatal(err)
	}
	if data, err := call[operation.DataResult](r, owner, operation.Read, read); err != nil || string(data.Data) != "x" {
		t.Errorf("read after start: %q, %v", data.Data, err)
	}
}
