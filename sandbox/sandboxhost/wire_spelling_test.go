package sandboxhost_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
)

// names is a registry that notes the names of activities.
type names struct {
	worker.ActivityRegistry
	all []string
}

func (n *names) RegisterActivityWithOptions(_ any, o activity.RegisterOptions) {
	n.all = append(n.all, o.Name)
}

// TestWireNames takes the name of a provider as it is, with characters that mean something elsewhere.
func TestWireNames(t *testing.T) {
	for _, provider := range []string{"local", "Local", "a b", "a/b", "-", "a.b:c%20*", "größe"} {
		h := unused(t, provider)
		var got names
		h.Register(&got)
		var want []string
		for _, suffix := range []string{
			"client_create", "client_resume", "client_delete", "session_start", "session_stop", "session_shutdown", "session_running", "session_exec",
			"session_read", "session_write", "session_persist_workspace", "session_hydrate_workspace", "session_pty_exec_start", "session_pty_write_stdin",
		} {
			want = append(want, provider+"-sandbox_"+suffix)
		}
		if diff := cmp.Diff(want, got.all); diff != "" {
			t.Errorf("%q (-want +got):\n%s", provider, diff)
		}
	}
}

// TestWireNamesTwice refuses a second provider of one name on a worker, before that starts.
func TestWireNamesTwice(t *testing.T) {
	c, err := client.NewLazyClient(client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	w := worker.New(c, "queue", worker.Options{})
	unused(t, "a").Register(w)
	unused(t, "A").Register(w) // another name
	defer func() {
		if recover() == nil {
			t.Error("two providers have one name")
		}
	}()
	unused(t, "a").Register(w)
}

// unused is a host that never runs.
func unused(t *testing.T, provider string) *sandboxhost.Host {
	t.Helper()
	h, err := sandboxhost.New(provider, sandboxtest.NewFake(), sandboxhost.Options{Dir: filepath.Join(t.TempDir(), "sessions")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

// TestWireSessionIDs finds a session by each spelling of its id that the format has, and answers in the canonical one.
func TestWireSessionIDs(t *testing.T) {
	r := newRig(t)
	state := r.create(sandbox.Manifest{})
	text, id := asJSON(t, state), state.SessionID
	for _, spelled := range []string{strings.ToUpper(id), "urn:uuid:" + id, "{" + id + "}", strings.ReplaceAll(id, "-", "")} {
		other := strings.Replace(text, `"session_id":"`+id, `"session_id":"`+spelled, 1)
		if other == text {
			t.Fatalf("the state has no id: %s", text)
		}
		args := json.RawMessage(`{"state":` + other + `}`)
		if out, err := call[operation.RunningResult](r, owner, operation.Running, args); err != nil || !out.IsRunning {
			t.Errorf("running, %s: %+v, %v", spelled, out, err)
		}
		out, err := call[operation.SessionResult](r, owner, operation.Resume, args)
		if diff := cmp.Diff(state, out.State); err != nil || diff != "" {
			t.Errorf("resume, %s: %v, state (-want +got):\n%s", spelled, err, diff)
		}
	}
}

// TestWireUsers hands the account that is asked for to the backend, in both spellings and for both kinds of commands.
func TestWireUsers(t *testing.T) {
	r := newRig(t)
	state := asJSON(t, r.create(sandbox.Manifest{}))
	asked := make(chan string, 1)
	r.fake.Handle("whoami", func(_ context.Context, cmd backend.Command) int {
		asked <- cmd.User
		return 0
	})
	for given, want := range map[string]string{`"agent"`: "agent", `{"name":"agent"}`: "agent", `""`: "", `{"name":""}`: "", `null`: ""} {
		for _, op := range []operation.Name{operation.Exec, operation.PTYExec} {
			_, err := call[any](r, owner, op, json.RawMessage(`{"state":`+state+`,"command":["whoami"],"user":`+given+`}`))
			if err != nil {
				t.Fatalf("%s as %s: %v", op, given, err)
			}
			if got := <-asked; got != want {
				t.Errorf("%s as %s: the backend was asked for %q", op, given, got)
			}
		}
	}
}

// TestWireRoot refuses a root of the manifest other than the one that all sandboxes of a host have.
func TestWireRoot(t *testing.T) {
	r := newRig(t)
	for root, want := range map[string]string{"/workspace": "", "/srv": operation.InvalidArgument, "relative": operation.InvalidArgument} {
		_, err := call[any](r, owner, operation.Create, json.RawMessage(`{"manifest":{"root":"`+root+`"}}`))
		if errorType(err) != want || err != nil && !final(err) {
			t.Errorf("%q: %v", root, err)
		}
	}
}

// TestWireFullState takes a state with every field written out for the one that it gave: stored runs hold such.
func TestWireFullState(t *testing.T) {
	r := newRig(t)
	state := r.create(sandbox.Manifest{})
	full := `{"state":{"type":"unix_local","session_id":"` + state.SessionID + `","snapshot":{"type":"noop","id":"` + state.SessionID + `"},
		"manifest":{"version":1,"root":"/workspace","entries":{},"environment":{"value":{}},"users":[],"groups":[],"extra_path_grants":[],
			"remote_mount_command_allowlist":["ls","find","stat","cat","less","head","tail","du","grep","rg","wc","sort","cut","cp","tee","echo","mkdir","rm"]},
		"exposed_ports":[],"snapshot_fingerprint":null,"snapshot_fingerprint_version":null,"workspace_root_ready":false,"workspace_root_owned":false}}`
	for _, op := range []operation.Name{operation.Resume, operation.Start, operation.Stop, operation.Delete} {
		if _, err := call[any](r, owner, op, json.RawMessage(full)); err != nil {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// TestWireSnapshots stores none: what asks for one that could not be kept, or restored, is refused.
func TestWireSnapshots(t *testing.T) {
	r := newRig(t)
	for spec, want := range map[string]string{
		`null`:            "",
		`{"type":"noop"}`: "",
		`{"type":"local","base_path":"/home/app"}`:               "",
		`{"type":"noop","id":"1"}`:                               "",
		`{"type":"remote","client_dependency_key":"k"}`:          "sandbox_config_invalid",
		`{"type":"local","base_path":"/home/app","id":"1"}`:      "snapshot_not_restorable",
		`{"type":"remote","client_dependency_key":"k","id":"1"}`: "snapshot_not_restorable",
	} {
		out, err := call[operation.SessionResult](r, owner, operation.Create, json.RawMessage(`{"snapshot_spec":`+spec+`}`))
		if errorType(err) != want || err != nil && !final(err) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
		if err == nil && out.State.Snapshot.Type != sandbox.SnapshotNoop {
			t.Errorf("%s: the state says %+v", spec, out.State.Snapshot)
		}
	}
}
