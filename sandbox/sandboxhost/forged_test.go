package sandboxhost_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// operations are all that take a state, as JSON.
var operations = map[operation.Name]string{
	operation.Resume: `{"state":%}`, operation.Start: `{"state":%}`, operation.Running: `{"state":%}`,
	operation.Exec: `{"state":%,"command":["count x"]}`, operation.Read: `{"state":%,"path":"in.txt"}`,
	operation.Write: `{"state":%,"path":"in.txt","data":""}`, operation.Persist: `{"state":%}`,
	operation.Hydrate: `{"state":%,"data":""}`, operation.PTYExec: `{"state":%,"command":["count x"],"tty":true}`,
	operation.PTYSend: `{"state":%,"session_id":1000,"chars":"x"}`, operation.Stop: `{"state":%}`, operation.Shut: `{"state":%}`, operation.Delete: `{"state":%}`,
}

// TestForged hands over what was changed on the way, or by somebody else. Each time nothing happens, the answer is
// that to an unknown id, and there is one record.
func TestForged(t *testing.T) {
	state := func(change func(map[string]any)) func(sandbox.SessionState) map[string]any {
		return func(s sandbox.SessionState) map[string]any {
			m := s.ToMap()
			if change != nil {
				change(m)
			}
			return m
		}
	}
	for _, name := range operation.Names() {
		if _, ok := operations[name]; !ok && name != operation.Create {
			t.Errorf("%s takes a state and is not tried", name)
		}
	}
	stranger := who{workflow: "other", run: "run-9"}
	cases := []struct {
		name   string
		caller who
		state  func(sandbox.SessionState) map[string]any
		ending bool // whether operations that end something refuse it, too
		detail string
	}{
		{"unknown id", owner, state(func(m map[string]any) { m["session_id"] = "5b8f7c1e-2222-4333-8444-555555555555" }), true, "no such session"},
		{"no id", owner, state(func(m map[string]any) { delete(m, "session_id") }), true, "no such session"},
		{"foreign workflow", stranger, state(nil), true, "the session belongs to another workflow"},
		{"foreign workflow, made-up run", who{workflow: "other", run: "run-1"}, state(nil), true, "the session belongs to another workflow"},
		{"standalone activity", who{}, state(nil), true, "an activity without a workflow owns no session"},
		{"reused workflow id", who{workflow: "w", run: "run-2"}, state(nil), true, "the session belongs to another workflow"},
		{"run that the server does not know", who{workflow: "w", run: "run-3"}, state(nil), true, "the session belongs to another workflow"},
		{"root, owned", owner, state(func(m map[string]any) {
			m["manifest"].(map[string]any)["root"], m["workspace_root_owned"] = "/etc", true
		}), true, "the state was changed: manifest.root"},
		{"owned", owner, state(func(m map[string]any) { m["workspace_root_owned"] = true }), true, "the state was changed: workspace_root_owned"},
		{"base path", owner, state(func(m map[string]any) {
			m["snapshot"] = map[string]any{"type": "local", "id": "x", "base_path": "/etc"}
		}), true, "the state was changed: snapshot"},
		{"container", owner, state(func(m map[string]any) {
			m["type"], m["image"], m["container_id"] = "docker", "x", "4f1d0c"
		}), true, "the state was changed: type"},
		{"container of a kind without one", owner, state(func(m map[string]any) { m["container_id"] = "4f1d0c" }), true, "the state was changed: container_id"},
		{"image of a kind without one", owner, state(func(m map[string]any) { m["image"] = "x" }), true, "the state was changed: image"},
		{"host path", owner, state(func(m map[string]any) {
			m["manifest"].(map[string]any)["extra_path_grants"] = []any{map[string]any{"path": "/x", "host_path": "/etc"}}
		}), true, "the state was changed: grants"},
		{"manifest", owner, state(func(m map[string]any) {
			m["manifest"].(map[string]any)["environment"] = map[string]any{"value": map[string]any{"A": "x"}}
		}), false, "the state was changed: manifest"},
		{"grants", owner, state(func(m map[string]any) {
			m["manifest"].(map[string]any)["extra_path_grants"] = []any{map[string]any{"path": "/etc"}}
		}), false, "the state was changed: manifest"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				own := r.create(sandbox.Manifest{Entries: map[string]sandbox.Entry{"in.txt": {Type: "file", Content: "x"}}})
				r.server.set(run{"run-1", "run-1", closed}, run{"run-2", "run-2", open}) // the id is used again
				data, err := json.Marshal(c.state(own))
				if err != nil {
					t.Fatal(err)
				}
				before := r.fake.Effects()
				for name, args := range operations {
					if name.CleanUp() && !c.ending {
						continue
					}
					r.audit.clear()
					_, err := call[any](r, c.caller, name, json.RawMessage(strings.Replace(args, "%", string(data), 1)))
					if !final(err) || errorType(err) != operation.NotHere || !strings.HasSuffix(err.Error(), unknownText) {
						t.Errorf("%s: %v", name, err)
					}
					synctest.Wait()
					if got := r.audit.details(); len(got) != 1 || got[0] != c.detail {
						t.Errorf("%s: records %q, want %q", name, got, c.detail)
					}
				}
				if diff := cmp.Diff(before, r.fake.Effects()); diff != "" {
					t.Errorf("effects (-before +after):\n%s", diff)
				}
				if err := r.stop(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

const unknownText = "sandboxguard.NotHere: this host has no such session, nothing was done (not retryable)\n" +
	"  fix: resume the session on the task queue of the provider, or create another one\n" +
	"  docs/errors.md#sandboxes (type: sandboxguard.NotHere, retryable: false)"

// TestUndecodable leaves a record of what does not decode, with the session if that can be told, and does nothing.
func TestUndecodable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		own := r.create(sandbox.Manifest{})
		named := `{"session_id":"` + own.SessionID + `","type":"unix_local","manifest":{"root":7}}`
		before := r.fake.Effects()
		for _, c := range []struct {
			op            operation.Name
			args, session string
		}{
			{operation.Delete, `{"state":` + named + `}`, own.SessionID},
			{operation.Read, `{"state":` + named + `}`, own.SessionID},
			{operation.Stop, `{"state":{"session_id":"hunter2"}}`, ""},
			{operation.Create, `[]`, ""},
		} {
			r.audit.clear()
			if _, err := call[any](r, owner, c.op, json.RawMessage(c.args)); errorType(err) != operation.InvalidArgument || !final(err) {
				t.Errorf("%s: %v", c.op, err)
			}
			synctest.Wait()
			if got := r.audit.details(); len(got) != 1 || got[0] != "the argument does not decode" || r.audit.all[0].Key != c.session {
				t.Errorf("%s: records %q", c.op, got)
			}
		}
		if diff := cmp.Diff(before, r.fake.Effects()); diff != "" {
			t.Errorf("effects (-before +after):\n%s", diff)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestRefusedCreate asks for what the host does not make.
func TestRefusedCreate(t *testing.T) {
	for name, c := range map[string]struct {
		caller who
		args   string
		want   string
	}{
		"standalone activity":      {who{}, `{}`, operation.NotHere},
		"workflow nobody knows":    {who{workflow: "w", run: "run-7"}, `{}`, operation.NotHere},
		"root":                     {owner, `{"manifest":{"root":"/etc"}}`, operation.InvalidArgument},
		"path that escapes":        {owner, `{"manifest":{"entries":{"../x":{"type":"file","content":""}}}}`, operation.InvalidArgument},
		"host path":                {owner, `{"manifest":{"extra_path_grants":[{"path":"/x","host_path":"/etc"}]}}`, operation.InvalidArgument},
		"literal that was dropped": {owner, `{"manifest":{"environment":{"value":{"A":{"type":"sandboxguard.dropped_literal"}}}}}`, operation.InvalidArgument},
		"variable with =":          {owner, `{"manifest":{"environment":{"value":{"A=B":"x"}}}}`, operation.InvalidArgument},
		"options of another kind":  {owner, `{"client_options":{"type":"docker","image":"x"}}`, operation.InvalidArgument},
		"remote snapshot":          {owner, `{"snapshot_spec":{"type":"remote","client_dependency_key":"x"}}`, "sandbox_config_invalid"},
		"restoring a snapshot":     {owner, `{"snapshot_spec":{"type":"local","id":"x","base_path":"/etc"}}`, "snapshot_not_restorable"},
		"no object":                {owner, `[]`, operation.InvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			_, err := call[any](r, c.caller, operation.Create, json.RawMessage(c.args))
			if !final(err) || errorType(err) != c.want {
				t.Errorf("error = %v, want type %s", err, c.want)
			}
			if got := r.fake.Effects(); len(got) > 0 {
				t.Errorf("effects: %q", got)
			}
		})
	}
}

// TestLocalSnapshot takes the default of a foreign runner for what it is, somebody's idea of this host.
func TestLocalSnapshot(t *testing.T) {
	r := newRig(t)
	out, err := call[operation.SessionResult](r, owner, operation.Create, json.RawMessage(`{"snapshot_spec":{"type":"local","base_path":"/home/app/snapshots"},
		"manifest":{"root":"/workspace"},"client_options":{"type":"unix_local","exposed_ports":[8080]}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := sandbox.SessionState{
		Type: sandbox.ClientUnixLocal, SessionID: out.State.SessionID, Snapshot: sandbox.Snapshot{Type: sandbox.SnapshotNoop, ID: out.State.SessionID},
		Manifest: sandbox.Manifest{Root: "/workspace"}, ExposedPorts: []int{8080},
	}
	if diff := cmp.Diff(want, out.State); diff != "" {
		t.Error(diff)
	}
}

// TestReducedState ends a session by a state that says as little as possible, after the owner continued as new.
func TestReducedState(t *testing.T) {
	r := newRig(t)
	own := r.create(sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"A": sandbox.EnvLiteral("x")}}})
	r.server.set(run{"run-1", "run-1", goesOn}, run{"run-2", "run-1", open})
	next := who{workflow: "w", run: "run-2"}
	if _, err := call[operation.ExecResult](r, next, operation.Exec, operation.ExecArgs{State: own, Command: []string{"true"}}); err != nil {
		t.Error(err)
	}
	reduced := sandbox.SessionState{Type: own.Type, SessionID: own.SessionID, Snapshot: sandbox.Snapshot{Type: "noop", ID: "any"}}
	for _, name := range []operation.Name{operation.Stop, operation.Shut, operation.Delete} {
		if _, err := call[any](r, next, name, operation.StopArgs{State: reduced}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if ids, _ := r.fake.Left(); len(ids) > 0 {
		t.Errorf("left: %v", ids)
	}
}

// TestSlowAudit refuses although the sink takes nothing.
func TestSlowAudit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.audit.wait = make(chan struct{})
		own := r.create(sandbox.Manifest{})
		for range 3 {
			if _, err := call[any](r, who{}, operation.Delete, operation.StopArgs{State: own}); errorType(err) != operation.NotHere {
				t.Error(err)
			}
		}
		close(r.audit.wait)
		synctest.Wait()
		if got := r.audit.details(); len(got) != 3 {
			t.Errorf("records: %q", got)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}

// TestAuditFlushed ends when what was refused before is written, and does not wait for ever for a sink.
func TestAuditFlushed(t *testing.T) {
	for name, within := range map[string]time.Duration{"slow": time.Second, "hangs": 10 * time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				r.audit.wait = make(chan struct{})
				own := r.create(sandbox.Manifest{})
				for range 3 {
					if _, err := call[any](r, who{}, operation.Delete, operation.StopArgs{State: own}); errorType(err) != operation.NotHere {
						t.Error(err)
					}
				}
				if name == "slow" {
					time.AfterFunc(time.Second, func() { close(r.audit.wait) })
				}
				var err error
				if d := took(func() { err = r.stop() }); d != within || err != nil {
					t.Errorf("Run took %v to end, want %v: %v", d, within, err)
				}
				if got := r.audit.details(); name == "slow" && len(got) != 3 {
					t.Errorf("records: %q", got)
				}
				if name == "hangs" {
					close(r.audit.wait)
				}
			})
		})
	}
}

func (r *records) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = nil
}

func (r *records) details() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, rec := range r.all {
		if rec.Action != audit.ActionDeny || rec.Outcome != audit.OutcomeRefused || rec.Activity == "" {
			rec.Detail = "not a denial"
		}
		out = append(out, rec.Detail)
	}
	return out
}
