package sandbox_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// TestModels decodes each model in both modes, and encodes it again.
func TestModels(t *testing.T) {
	checkModel(t, "environment", `{"value":{"A":"x","B":{"type":"temporal.worker_env_value","name":"N"}}}`, sandbox.Environment{
		Values: map[string]sandbox.EnvValue{"A": sandbox.EnvLiteral("x"), "B": sandbox.EnvSecret(secrets.Env("N"))},
	})
	checkModel(t, "empty environment", `{}`, sandbox.Environment{})
	checkModel(t, "literal", `"x"`, sandbox.EnvLiteral("x"))
	checkModel(t, "tagged literal", `{"type":"str","value":"x"}`, sandbox.EnvValue{Literal: "x", Form: sandbox.EnvTagged})
	checkModel(t, "file secret", `{"type":"sandboxguard.secret_ref","ref":"file:db/dsn"}`, sandbox.EnvSecret(secrets.File("db/dsn")))
	checkModel(t, "vault secret", `{"type":"sandboxguard.secret_ref","ref":"vault:kv/app#token@4"}`,
		sandbox.EnvSecret(secrets.From(secrets.Ref{Provider: "vault", Name: "kv/app", Field: "token", Version: "4"})))
	checkModel(t, "noted secret", `{"description":"d","ephemeral":true,"value":{"name":"N","type":"temporal.worker_env_value"}}`,
		sandbox.EnvValue{Secret: secrets.Env("N"), Description: ptr("d"), Ephemeral: true, Form: sandbox.EnvEntry})
	checkModel(t, "grant", `{"path":"/srv/x","read_only":true,"description":"d","host_path":"C:\\x"}`,
		sandbox.PathGrant{Path: "/srv/x", ReadOnly: true, Description: ptr("d"), HostPath: ptr(`C:\x`)})
	checkModel(t, "noop snapshot", `{"type":"noop"}`, sandbox.Snapshot{Type: sandbox.SnapshotNoop})
	checkModel(t, "remote snapshot", `{"type":"remote","id":"a/b","client_dependency_key":"store"}`,
		sandbox.Snapshot{Type: sandbox.SnapshotRemote, ID: "a/b", ClientDependencyKey: "store"})
	checkModel(t, "docker options", `{"type":"docker","image":"i","exposed_ports":[],"network_mode":"none","labels":{"a":"b"}}`,
		sandbox.ClientOptions{Type: sandbox.ClientDocker, Image: "i", ExposedPorts: []int{}, NetworkMode: ptr("none"), Labels: map[string]string{"a": "b"}})
	checkModel(t, "remote options", `{"api_key":null,"exposed_ports":[1],"type":"cloudflare","worker_url":"https://x.example"}`,
		sandbox.ClientOptions{Type: "cloudflare", Raw: json.RawMessage(`{"api_key":null,"exposed_ports":[1],"type":"cloudflare","worker_url":"https://x.example"}`)})
	checkModel(t, "docker state", `{"type":"docker","session_id":"5b8f7c1e-2222-4333-8444-555555555555","snapshot":{"type":"noop","id":"x"},"manifest":{},"image":"i","container_id":"c"}`,
		sandbox.SessionState{Type: sandbox.ClientDocker, SessionID: "5b8f7c1e-2222-4333-8444-555555555555", Snapshot: sandbox.Snapshot{Type: "noop", ID: "x"}, Image: "i", ContainerID: "c"})
	checkModel(t, "remote state", `{"type":"modal","session_id":"5b8f7c1e-2222-4333-8444-555555555555","snapshot":{"type":"noop","id":"x"},"manifest":{"version":1},"app_name":"a","sandbox_id":null,"timeout":300}`,
		sandbox.SessionState{Type: "modal", SessionID: "5b8f7c1e-2222-4333-8444-555555555555", Snapshot: sandbox.Snapshot{Type: "noop", ID: "x"}, Manifest: sandbox.Manifest{Version: 1}, Extra: json.RawMessage(`{"app_name":"a","sandbox_id":null,"timeout":300}`)})
	checkModel(t, "sandbox config", `{"client":"local","concurrency_limits":{"manifest_entries":null},"archive_limits":{}}`,
		sandbox.SandboxRunConfig{Client: "local", ConcurrencyLimits: &sandbox.ConcurrencyLimits{ManifestEntries: sandbox.Unlimited}, ArchiveLimits: &sandbox.ArchiveLimits{}})
	checkModel(t, "run config", string(mustJSON(t, fullRunConfig())), fullRunConfig())
	checkModel(t, "manifest", string(mustJSON(t, fullManifest())), fullManifest())
	for name, e := range fullManifest().Entries {
		checkModel(t, name, string(mustJSON(t, e)), e)
	}
	checkModel(t, "unknown mount", `{"a":{"b":1.50},"mount_strategy":{"type":"x"},"type":"acme_mount"}`,
		sandbox.Entry{Type: "acme_mount", Raw: json.RawMessage(`{"a":{"b":1.50},"mount_strategy":{"type":"x"},"type":"acme_mount"}`)})
}

func checkModel[T sandbox.Model](t *testing.T, name, data string, want T) {
	t.Helper()
	for _, mode := range []sandbox.Mode{sandbox.Strict, sandbox.Lenient} {
		got, err := sandbox.Decode[T]([]byte(data), mode)
		if err != nil {
			t.Errorf("%s, %s: %v", name, mode, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", name, mode, diff)
		}
	}
	var unmarshaled T
	if err := json.Unmarshal([]byte(data), &unmarshaled); err != nil {
		t.Errorf("%s, encoding/json: %v", name, err)
	}
	if diff := cmp.Diff(want, unmarshaled); diff != "" {
		t.Errorf("%s, encoding/json (-want +got):\n%s", name, diff)
	}
	if diff := cmp.Diff(plainTree(t, []byte(data)), plainTree(t, mustJSON(t, want))); diff != "" {
		t.Errorf("%s, encoding (-want +got):\n%s", name, diff)
	}
}

// TestNeverNull: nil slices, maps and pointers are left out or written as
// empty, because readers of the format refuse null there.
func TestNeverNull(t *testing.T) {
	for name, v := range map[string]any{
		"manifest":     sandbox.Manifest{},
		"nil members":  sandbox.Manifest{Groups: []sandbox.Group{{Name: "g"}}, Entries: map[string]sandbox.Entry{"d": {Type: "dir", Group: &sandbox.Group{Name: "g"}}, "f": {Type: "file"}, "l": {Type: "local_dir"}, "g": {Type: "git_repo"}}},
		"environment":  sandbox.Environment{},
		"empty values": sandbox.Environment{Values: map[string]sandbox.EnvValue{"A": {}}},
		"grant":        sandbox.PathGrant{},
		"group":        sandbox.Group{},
		"state":        sandbox.SessionState{Type: "docker"},
		"remote state": sandbox.SessionState{Type: "e2b", Extra: json.RawMessage(`{"sandbox_id":"x"}`)},
		"options":      sandbox.ClientOptions{Type: "docker"},
		"run config":   sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Options: &sandbox.ClientOptions{}, Manifest: &sandbox.Manifest{}}},
	} {
		t.Run(name, func(t *testing.T) { noNulls(t, mustJSON(t, v)) })
	}
}

// TestEncodingRefusals: what cannot be written faithfully is not written.
func TestEncodingRefusals(t *testing.T) {
	for name, v := range map[string]any{
		"literal and secret": sandbox.EnvValue{Literal: "x", Secret: secrets.Env("A")},
		"text":               sandbox.EnvLiteral("\xff"),
		"binary content":     sandbox.Manifest{Entries: map[string]sandbox.Entry{"x": {Type: "file", Content: "\xff"}}},
		"mount":              sandbox.Entry{Type: "s3_mount", Raw: json.RawMessage("{")},
		"mount type":         sandbox.Entry{Type: "s3_mount", Raw: json.RawMessage(`{"type":"r2_mount"}`)},
		"options":            sandbox.ClientOptions{Type: "e2b", Raw: json.RawMessage("[]")},
		"state":              sandbox.SessionState{Type: "e2b", Extra: json.RawMessage(`{"manifest":{}}`)},
	} {
		if data, err := json.Marshal(v); err == nil {
			t.Errorf("%s: written as %s", name, data)
		}
	}
}

// TestUnmarshalIsLenient: a recorded value can be read whatever the strict rules
// become, and null changes nothing.
func TestUnmarshalIsLenient(t *testing.T) {
	var got sandbox.Manifest
	if err := json.Unmarshal([]byte(`{"zzz":1,"entries":{"../x":{"type":"file","content":""}}}`), &got); err != nil {
		t.Error(err)
	}
	if len(got.Entries) != 1 {
		t.Errorf("got %v", got)
	}
	if err := json.Unmarshal([]byte("null"), &got); err != nil || len(got.Entries) != 1 {
		t.Errorf("null changed the value: %v, %v", got, err)
	}
	err := json.Unmarshal([]byte(`{"root":1}`), &got)
	wantFaults(t, "wrong type", err, "/root wrong-type")
	if len(got.Entries) != 1 {
		t.Error("a failed decoding changed the value")
	}
	var l sandbox.Limit
	for in, want := range map[string]sandbox.Limit{"null": sandbox.Unlimited, "3": 3} {
		if err := json.Unmarshal([]byte(in), &l); err != nil || l != want {
			t.Errorf("limit %s: got %d, %v", in, l, err)
		}
	}
	if err := json.Unmarshal([]byte("0"), &l); err == nil {
		t.Error("limit 0 was read")
	}
}

// TestSessionGrants: lenient decoding takes host-bound grants out of a state and
// says so; strict decoding leaves them for policy.
func TestSessionGrants(t *testing.T) {
	data := []byte(`{"type":"unix_local","session_id":"{5B8F7C1E-2222-4333-8444-555555555555}","snapshot":{"type":"noop","id":"x"},
		"manifest":{"extra_path_grants":[{"path":"/a"},{"path":"/b/","host_path":"/h"}]},
		"__openai_agents_redacted_host_path_grant_paths":["/c"],"__openai_agents_redacted_mount_authority":true}`)
	lenient, err := sandbox.Decode[sandbox.SessionState](data, sandbox.Lenient)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]sandbox.PathGrant{{Path: "/a"}}, lenient.Manifest.ExtraPathGrants); diff != "" {
		t.Errorf("lenient grants (-want +got):\n%s", diff)
	}
	slices.Sort(lenient.UnboundGrants)
	if diff := cmp.Diff([]string{"/b", "/c"}, lenient.UnboundGrants); diff != "" {
		t.Errorf("unbound grants (-want +got):\n%s", diff)
	}
	strict, err := sandbox.Decode[sandbox.SessionState](data, sandbox.Strict)
	if err != nil {
		t.Fatal(err)
	}
	if len(strict.Manifest.ExtraPathGrants) != 2 || len(strict.UnboundGrants) != 1 {
		t.Errorf("strict: got grants %v, unbound %v", strict.Manifest.ExtraPathGrants, strict.UnboundGrants)
	}
	rc, err := sandbox.NormalizeRunConfig(sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{SessionState: &lenient}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&lenient, rc.Sandbox.SessionState); diff != "" {
		t.Errorf("normalised (-want +got):\n%s", diff)
	}
	if strict.SessionID != "5b8f7c1e-2222-4333-8444-555555555555" {
		t.Error("the session id is not canonical")
	}
	for _, id := range []string{"", "x", "{5b8f7c1e-2222-4333-8444-555555555555", "5b8f7c1e22224333844455555555555", "5b8f7c1e-2222-4333-8444-55555555555g"} {
		_, err := sandbox.Decode[sandbox.SessionState]([]byte(fmt.Sprintf(`{"type":"unix_local","session_id":%q,"snapshot":{"type":"noop","id":"x"},"manifest":{}}`, id)), sandbox.Lenient)
		wantFaults(t, id, err, "/session_id invalid-value")
	}
}

// TestClientFillsType: options without a type have that of their client, where
// the client is one.
func TestClientFillsType(t *testing.T) {
	rc, err := sandbox.NormalizeRunConfig(m{"sandbox": m{"client": "docker", "options": m{"image": "i"}}})
	if err != nil || rc.Sandbox.Options.Type != "docker" || rc.Sandbox.Options.Image != "i" {
		t.Errorf("got %v, %v", rc, err)
	}
	_, err = sandbox.NormalizeRunConfig(m{"sandbox": m{"client": "mine", "options": m{"image": "i"}}})
	wantFaults(t, "other client", err, "/sandbox/options/type required")
	rc, err = sandbox.NormalizeRunConfig(m{"sandbox": m{"client": "mine", "options": m{"type": "docker", "image": "i"}}})
	if err != nil || rc.Sandbox.Options.Type != "docker" {
		t.Errorf("got %v, %v", rc, err)
	}
}

// TestRawKeys: the keys of a raw object, at every depth, whose value is not
// null.
func TestRawKeys(t *testing.T) {
	e, err := sandbox.Decode[sandbox.Entry]([]byte(`{"type":"s3_mount","bucket":"b","access_key_id":"x","session_token":null,
		"mount_strategy":{"type":"docker_volume","driver":"rclone","driver_options":{"password":"x","a/b":[{"c":1}]}}}`), sandbox.Strict)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"/access_key_id", "/bucket", "/mount_strategy", "/mount_strategy/driver", "/mount_strategy/driver_options",
		"/mount_strategy/driver_options/0", "/mount_strategy/driver_options/0/0/c", "/mount_strategy/driver_options/password",
		"/mount_strategy/type", "/type",
	}
	if diff := cmp.Diff(want, e.RawKeys()); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if !e.IsMount() || !e.IsDir() {
		t.Error("a mount is a directory")
	}
	if got := (sandbox.Entry{Type: "file"}).RawKeys(); len(got) != 0 {
		t.Errorf("a file has raw keys %v", got)
	}
	o := sandbox.ClientOptions{Type: "e2b", Raw: json.RawMessage(`{"envs":{"A":"x"},"type":"e2b"}`)}
	if diff := cmp.Diff([]string{"/envs", "/envs/A", "/type"}, o.RawKeys()); diff != "" {
		t.Errorf("option keys (-want +got):\n%s", diff)
	}
}

// TestHasKeys: a map is recognised by having only keys of a schema.
func TestHasKeys(t *testing.T) {
	for _, tt := range []struct {
		in                           m
		manifest, runConfig, sandbox bool
	}{
		{nil, false, false, false},
		{m{}, false, false, false},
		{m{"root": 1}, true, false, false},
		{m{"root": 1, "model": 1}, false, false, false},
		{m{"Root": 1}, false, false, false},
		{m{"sandbox": 1, "model_provider": 1}, false, true, false},
		{m{"manifest": 1, "session": 1, "cwd": 1}, false, false, true},
	} {
		got := []bool{sandbox.HasManifestKeys(tt.in), sandbox.HasRunConfigKeys(tt.in), sandbox.HasSandboxKeys(tt.in)}
		if diff := cmp.Diff([]bool{tt.manifest, tt.runConfig, tt.sandbox}, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.in, diff)
		}
	}
	full := fullRunConfig()
	if !sandbox.HasRunConfigKeys(full.ToMap()) || !sandbox.HasSandboxKeys(full.ToMap()["sandbox"].(m)) || !sandbox.HasManifestKeys(full.Sandbox.Manifest.ToMap()) {
		t.Error("the map form of a full config is not recognised")
	}
}

// TestRemoteMountCommands: nil is the default list, empty is none.
func TestRemoteMountCommands(t *testing.T) {
	if got := (sandbox.Manifest{}).RemoteMountCommands(); len(got) != 18 || got[0] != "ls" || got[17] != "rm" {
		t.Errorf("default: %v", got)
	}
	own := sandbox.Manifest{RemoteMountCommandAllowlist: []string{}}
	if got := own.RemoteMountCommands(); got == nil || len(got) != 0 {
		t.Errorf("none: %v", got)
	}
}

// TestDigest: what means the same has one digest, and what differs has two.
func TestDigest(t *testing.T) {
	base := sandbox.Manifest{
		Entries: map[string]sandbox.Entry{"a": {Type: "dir", Children: map[string]sandbox.Entry{"r": {Type: "git_repo", Repo: "o/n", Ref: "v1"}}}},
		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
			"A": sandbox.EnvLiteral("<x>"), "B": sandbox.EnvSecret(secrets.Env("N")),
		}},
	}
	want := digest(t, base)
	const canonical = `{"entries":{"a":{"children":{"r":{"ref":"v1","repo":"o/n","type":"git_repo"}},"type":"dir"}},` +
		`"environment":{"value":{"A":"<x>","B":{"name":"N","type":"temporal.worker_env_value"}}}}`
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(canonical))); got != want {
		t.Errorf("got digest %s, want %s, that of %s: recorded sessions depend on it", want, got, canonical)
	}
	same := map[string]string{
		"defaults written out": `{"version":1,"root":"/workspace","users":[],"groups":[],"extra_path_grants":[],
			"remote_mount_command_allowlist":["ls","find","stat","cat","less","head","tail","du","grep","rg","wc","sort","cut","cp","tee","echo","mkdir","rm"],
			"entries":{"a":{"type":"dir","description":null,"ephemeral":false,"group":null,"is_dir":true,"permissions":{"owner":7,"group":5,"other":5,"directory":true},
				"children":{"r":{"type":"git_repo","host":"github.com","repo":"o/n","ref":"v1","subpath":"."}}}},
			"environment":{"value":{"A":{"type":"str","value":"<x>"},"B":{"value":{"type":"secret_ref","key":"N"}}}}}`,
		"unknown keys": `{"zzz":1,"entries":{"a":{"type":"dir","children":{"r":{"type":"git_repo","repo":"o/n","ref":"v1"}}}},"environment":{"value":{"B":{"type":"temporal.worker_env_value","name":"N"},"A":"<x>"}}}`,
	}
	for name, data := range same {
		got, err := sandbox.DecodeManifest([]byte(data), sandbox.Lenient)
		if err != nil {
			t.Fatal(err)
		}
		if digest(t, got) != want {
			t.Errorf("%s: another digest", name)
		}
	}
	seen := map[string]string{want: "base"}
	for name, other := range map[string]sandbox.Manifest{
		"empty":    {},
		"root":     {Root: "/x"},
		"no list":  {RemoteMountCommandAllowlist: []string{}},
		"literal":  {Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"B": sandbox.EnvLiteral("N")}}},
		"secret":   {Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"B": sandbox.EnvSecret(secrets.Env("N"))}}},
		"file":     {Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"B": sandbox.EnvSecret(secrets.File("N"))}}},
		"grant":    {ExtraPathGrants: []sandbox.PathGrant{{Path: "/x"}}},
		"readable": {ExtraPathGrants: []sandbox.PathGrant{{Path: "/x", ReadOnly: true}}},
	} {
		d := digest(t, other)
		if twin, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, twin)
		}
		seen[d] = name
	}
	_, err := sandbox.Manifest{Entries: map[string]sandbox.Entry{"x": {}}}.Digest()
	wantRule(t, "invalid manifest", err, sandbox.RuleUnknownType)
}
