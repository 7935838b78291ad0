package sandbox_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

func ptr[T any](v T) *T { return &v }

// m is a map in the form that encoding/json decodes to.
type m = map[string]any

// fullManifest uses every part of a manifest that a map may state.
func fullManifest() sandbox.Manifest {
	return sandbox.Manifest{
		Version: 1,
		Root:    "/workspace",
		Entries: map[string]sandbox.Entry{
			"input/task.md": {Type: sandbox.EntryFile, Content: "do it\n", Permissions: &sandbox.Permissions{Owner: 6, Group: 4}},
			"src": {Type: sandbox.EntryDir, Ephemeral: true, Children: map[string]sandbox.Entry{
				"empty.txt": {Type: sandbox.EntryFile, Description: ptr("")},
			}},
			"fixtures": {Type: sandbox.EntryLocalDir, Src: "root:fixtures"},
			"one":      {Type: sandbox.EntryLocalFile, Src: "root:one", Group: &sandbox.Group{Name: "team"}},
			"repo":     {Type: sandbox.EntryGitRepo, Repo: "acme/app", Ref: "v1", Subpath: "api"},
			"bucket": {
				Type: "s3_mount",
				Raw:  json.RawMessage(`{"bucket":"acme","mount_strategy":{"driver":"rclone","type":"docker_volume"},"type":"s3_mount"}`),
			},
		},
		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
			"LANG":   sandbox.EnvLiteral("C.UTF-8"),
			"TAGGED": {Literal: "x", Form: sandbox.EnvTagged},
			"TOKEN":  sandbox.EnvSecret(secrets.Env("REPORTS_TOKEN")),
			"DSN":    {Secret: secrets.File("db/dsn"), Description: ptr("read only"), Ephemeral: true, Form: sandbox.EnvEntry},
		}},
		Users:                       []sandbox.User{{Name: "agent"}},
		Groups:                      []sandbox.Group{{Name: "team", Users: []sandbox.User{{Name: "agent"}}}, {Name: "nobody"}},
		ExtraPathGrants:             []sandbox.PathGrant{},
		RemoteMountCommandAllowlist: []string{},
	}
}

func fullRunConfig() sandbox.RunConfig {
	manifest := fullManifest()
	return sandbox.RunConfig{
		Model:              "gpt-5",
		ModelSettings:      json.RawMessage(`{"seed":9007199254740993,"temperature":0.5}`),
		NestHandoffHistory: ptr(false),
		TracingDisabled:    ptr(true),
		WorkflowName:       "report",
		SessionSettings:    json.RawMessage(`{"limit":10}`),
		ToolExecution:      json.RawMessage(`{"max_function_tool_concurrency":2}`),
		Sandbox: &sandbox.SandboxRunConfig{
			Client:  "docker",
			Options: &sandbox.ClientOptions{Type: sandbox.ClientDocker, Image: "python:3.12", ExposedPorts: []int{8000}, Labels: map[string]string{"a": "b"}},
			SessionState: &sandbox.SessionState{
				Type: sandbox.ClientUnixLocal, SessionID: "5b8f7c1e-2222-4333-8444-555555555555",
				Snapshot: sandbox.Snapshot{Type: sandbox.SnapshotLocal, ID: "s1", BasePath: "/var/snapshots"}, Manifest: manifest,
				ExposedPorts: []int{1, 2}, WorkspaceRootReady: true, WorkspaceRootOwned: true, SnapshotFingerprint: ptr("f"),
			},
			Manifest:          &manifest,
			Snapshot:          &sandbox.Snapshot{Type: sandbox.SnapshotNoop},
			ConcurrencyLimits: &sandbox.ConcurrencyLimits{ManifestEntries: 8, LocalDirFiles: sandbox.Unlimited},
			ArchiveLimits:     &sandbox.ArchiveLimits{MaxInputBytes: math.MaxInt64},
			Cwd:               "src",
		},
	}
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestNormalizeForms: every form of a run config normalises to the same value.
func TestNormalizeForms(t *testing.T) {
	rc := fullRunConfig()
	want, err := sandbox.NormalizeRunConfig(rc)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rc, want); diff != "" {
		t.Errorf("a canonical value changed (-want +got):\n%s", diff)
	}
	text := mustJSON(t, rc)
	var decoded m
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	// A float64 cannot hold what decoding without UseNumber lost.
	decoded["model_settings"].(m)["seed"] = int64(9007199254740993)
	decoded["sandbox"].(m)["archive_limits"].(m)["max_input_bytes"] = int64(math.MaxInt64)
	type namedMap map[string]any
	type key string
	for _, tt := range []struct {
		name   string
		in     any
		reason string
	}{
		{"struct", rc, "the typed form"},
		{"pointer", &rc, "a pointer to it"},
		{"pointer to pointer", ptr(&rc), "reflection follows pointers"},
		{"map", rc.ToMap(), "the canonical map form"},
		{"decoded map", decoded, "what a data converter decodes to, numbers as float64"},
		{"raw message", json.RawMessage(text), "JSON"},
		{"bytes", text, "JSON"},
		{"any map", anyMap(rc.ToMap()), "what YAML decoders produce, at every level"},
		{"named map", namedMap(rc.ToMap()), "a named map type"},
		{"typed keys", map[key]any{"model": "gpt-5", "sandbox": rc.Sandbox, "model_settings": rc.ModelSettings, "nest_handoff_history": ptr(false), "tracing_disabled": true, "workflow_name": "report", "session_settings": m{"limit": uint8(10)}, "tool_execution": m{"max_function_tool_concurrency": json.Number("2")}}, "typed leaves in a map"},
		{"nested structs", m{"model": "gpt-5", "model_settings": rc.ModelSettings, "nest_handoff_history": false, "tracing_disabled": true, "workflow_name": "report", "session_settings": m{"limit": 10}, "tool_execution": m{"max_function_tool_concurrency": 2.0}, "sandbox": m{
			"client": "docker", "options": rc.Sandbox.Options, "session_state": *rc.Sandbox.SessionState, "manifest": rc.Sandbox.Manifest,
			"snapshot": rc.Sandbox.Snapshot, "concurrency_limits": *rc.Sandbox.ConcurrencyLimits, "archive_limits": rc.Sandbox.ArchiveLimits, "cwd": "src", "session": nil,
		}}, "a map that holds typed values"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := sandbox.NormalizeRunConfig(tt.in)
			if err != nil {
				t.Fatalf("%s: %v", tt.reason, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// anyMap turns every map of a tree into a map[any]any.
func anyMap(v any) any {
	switch v := v.(type) {
	case m:
		out := map[any]any{}
		for k, e := range v {
			out[k] = anyMap(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = anyMap(e)
		}
		return out
	default:
		return v
	}
}

func TestNormalizeNothing(t *testing.T) {
	for name, in := range map[string]any{
		"nil":          nil,
		"nil pointer":  (*sandbox.RunConfig)(nil),
		"nil map":      m(nil),
		"empty map":    m{},
		"nil raw":      json.RawMessage(nil),
		"null":         json.RawMessage("null"),
		"nil bytes":    []byte(nil),
		"null members": m{"sandbox": nil, "model": nil, "model_provider": nil, "model_settings": nil, "tool_execution": nil},
	} {
		got, err := sandbox.NormalizeRunConfig(in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(sandbox.RunConfig{}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	got, err := sandbox.NormalizeManifest(nil)
	if diff := cmp.Diff(sandbox.Manifest{}, got); err != nil || diff != "" {
		t.Errorf("manifest: %v (-want +got):\n%s", err, diff)
	}
}

// TestNormalizeKeepsResolved: a value that has been resolved stays so in typed
// forms and is a bare reference in the map form.
func TestNormalizeKeepsResolved(t *testing.T) {
	canary := secretstest.Canary(t)
	resolved := secretstest.Resolved(t, secrets.EnvRef("TOKEN"), canary)
	in := m{"environment": m{"value": m{"A": resolved, "B": &resolved, "C": sandbox.EnvSecret(resolved), "D": m{"value": resolved, "description": "d"}, "E": secrets.EnvRef("TOKEN")}}}
	got, err := sandbox.NormalizeManifest(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A", "B", "C", "D"} {
		if text, err := got.Environment.Values[name].Secret.Reveal(); err != nil || text != canary {
			t.Errorf("%s does not hold the value any more: %v", name, err)
		}
	}
	if got.Environment.Values["E"].Secret.Resolved() {
		t.Error("a reference came back resolved")
	}
	digest, err := got.Digest()
	if err != nil {
		t.Fatal(err)
	}
	secretstest.AssertAbsent(t, []string{canary}, mustJSON(t, got), mustJSON(t, got.ToMap()), []byte(digest), []byte(fmt.Sprintf("%v %+v %#v", got, got, got.ToMap())))
}

// TestNormalizeLeavesInput: the input is not changed and nothing is shared.
func TestNormalizeLeavesInput(t *testing.T) {
	in := fullRunConfig().ToMap()
	before := string(mustJSON(t, in))
	rc, err := sandbox.NormalizeRunConfig(in)
	if err != nil {
		t.Fatal(err)
	}
	typed := fullRunConfig()
	copied, err := sandbox.NormalizeRunConfig(typed)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []sandbox.RunConfig{rc, copied} {
		got.Sandbox.Manifest.Entries["src"].Children["new"] = sandbox.Entry{}
		got.Sandbox.Manifest.Environment.Values["LANG"] = sandbox.EnvLiteral("changed")
		*got.Sandbox.Manifest.Environment.Values["DSN"].Description = "changed"
		got.Sandbox.Manifest.Users[0].Name = "changed"
		got.Sandbox.Manifest.Entries["bucket"].Raw[2] = 'X'
		got.Sandbox.Options.Labels["a"] = "changed"
		got.Sandbox.Options.ExposedPorts[0] = 1
		got.ModelSettings[0] = 'X'
		*got.TracingDisabled = false
	}
	if after := string(mustJSON(t, in)); before != after {
		t.Errorf("map input changed:\n%s\n%s", before, after)
	}
	if diff := cmp.Diff(fullRunConfig(), typed); diff != "" {
		t.Errorf("typed input changed (-want +got):\n%s", diff)
	}
}

// TestNormalizeGrants: path grants come from typed manifests only.
func TestNormalizeGrants(t *testing.T) {
	typed := sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv//x/", HostPath: ptr("/host/x/")}}}
	want := sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/x", HostPath: ptr("/host/x")}}}
	for name, in := range map[string]any{
		"struct":  m{"sandbox": m{"manifest": typed}},
		"pointer": m{"sandbox": m{"manifest": &typed}},
		"any map": map[any]any{"sandbox": map[any]any{"manifest": &typed}},
		"typed":   sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &typed}},
		"sandbox": m{"sandbox": sandbox.SandboxRunConfig{Manifest: &typed}},
	} {
		got, err := sandbox.NormalizeRunConfig(in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(&want, got.Sandbox.Manifest); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, grants := range map[string]any{
		"null": nil, "object": m{}, "map grant": []any{m{"path": "/srv/x"}}, "typed grants": typed.ExtraPathGrants,
		"number": 1, "raw": json.RawMessage(`[{"path":"/x"}]`),
	} {
		for _, at := range []string{"manifest", "session_state"} {
			manifest := m{"extra_path_grants": grants}
			in := m{at: manifest}
			path := "/sandbox/manifest/extra_path_grants"
			if at == "session_state" {
				in = m{at: m{"type": "unix_local", "session_id": "5b8f7c1e-2222-4333-8444-555555555555", "snapshot": m{"type": "noop", "id": "x"}, "manifest": manifest}}
				path = "/sandbox/session_state/manifest/extra_path_grants"
			}
			_, err := sandbox.NormalizeRunConfig(m{"sandbox": in})
			wantFaults(t, name+" in "+at, err, path+" map-path-grants")
		}
		if name == "null" {
			continue
		}
		_, err := sandbox.NormalizeManifest(json.RawMessage(mustJSON(t, m{"extra_path_grants": grants})))
		wantFaults(t, name+" in JSON", err, "/extra_path_grants map-path-grants")
	}
	for _, empty := range []any{[]any{}, []any(nil), []sandbox.PathGrant{}, json.RawMessage("[]")} {
		if _, err := sandbox.NormalizeManifest(m{"extra_path_grants": empty}); err != nil {
			t.Errorf("%T: %v", empty, err)
		}
	}
}

// explosive fails the test when anything looks at it.
type explosive struct{ t *testing.T }

func (e explosive) MarshalJSON() ([]byte, error) {
	e.t.Error("looked into")
	return []byte("null"), nil
}
func (e explosive) MarshalText() ([]byte, error) { e.t.Error("looked into"); return nil, nil }
func (e explosive) String() string               { e.t.Error("looked into"); return "" }
func (e explosive) Error() string                { e.t.Error("looked into"); return "" }

// TestLiveSession: a live session of any type is refused on presence.
func TestLiveSession(t *testing.T) {
	cycle := m{}
	cycle["self"] = cycle
	for name, session := range map[string]any{
		"map": m{}, "cycle": cycle, "function": func() {}, "channel": make(chan int), "string": "", "false": false, "zero": 0,
		"struct": explosive{t}, "pointer": &explosive{t}, "slice": []any(nil), "raw": json.RawMessage(`{}`),
	} {
		_, err := sandbox.NormalizeRunConfig(m{"sandbox": m{"session": session}})
		wantFaults(t, name, err, "/sandbox/session live-session")
	}
	for name, session := range map[string]any{
		"nil": nil, "nil pointer": (*explosive)(nil), "nil func": (func())(nil), "raw null": json.RawMessage(" null "),
	} {
		if _, err := sandbox.NormalizeRunConfig(m{"sandbox": m{"session": session}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
