package interceptor_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

func typedManifest() sandbox.Manifest {
	return sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
		"LANG": sandbox.EnvLiteral("C.UTF-8"), "API_TOKEN": sandbox.EnvSecret(secrets.Env("DEPLOY_TOKEN")),
	}}}
}

// TestTypedManifestInAnUntypedPlace: after the wire nobody can tell its references
// from text of the same form.
func TestTypedManifestInAnUntypedPlace(t *testing.T) {
	m := typedManifest()
	plain := sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"LANG": sandbox.EnvLiteral("C")}}}
	config := sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &m}}
	for _, tc := range []struct {
		name string
		in   any
		rule string
	}{
		{"manifest", map[string]any{"x": m}, "secret-untyped-place"},
		{"pointer", []any{&m}, "secret-untyped-place"},
		{"run config", map[string]any{"x": config}, "secret-untyped-place"},
		{"session state", map[string]any{"x": sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{SessionState: &sandbox.SessionState{Manifest: m}}}}, "secret-untyped-place"},
		{"without a reference", map[string]any{"x": plain}, ""},
		{"typed place", struct {
			X sandbox.Manifest `json:"x"`
		}{m}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, sandboxed))
			env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Push"))
			err := run(t, env, pushWorkflow(tc.in))
			if tc.rule == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantRules(t, err, tc.rule)
		})
	}
}

// TestManifestOfASessionState is resolved like that of a new sandbox.
func TestManifestOfASessionState(t *testing.T) {
	in := sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{
		Client: sandbox.ClientDocker, SessionState: &sandbox.SessionState{
			Type: sandbox.ClientDocker, SessionID: "5b8f7c1e-2222-4333-8444-555555555555",
			Snapshot: sandbox.Snapshot{Type: sandbox.SnapshotNoop, ID: "x"}, Image: "i", ContainerID: "c", Manifest: typedManifest(),
		},
	}}
	var revealed string
	if _, err := attempt(t, options(t, sandboxed), func(_ context.Context, in sandbox.RunConfig) (err error) {
		revealed, err = in.Sandbox.SessionState.Manifest.Environment.Values["API_TOKEN"].Secret.Reveal()
		return err
	}, in); err != nil || revealed != canary {
		t.Errorf("revealed %q, %v", revealed, err)
	}
	if in.Sandbox.SessionState.Manifest.Environment.Values["API_TOKEN"].Secret.Resolved() {
		t.Error("the caller's own config holds the value")
	}
}

// TestCredentialsInEntries: files travel inside the manifest.
func TestCredentialsInEntries(t *testing.T) {
	entries := map[string]sandbox.Entry{"a": {Type: sandbox.EntryDir, Children: map[string]sandbox.Entry{
		"token.txt": {Type: sandbox.EntryFile, Content: "token " + githubToken},
	}}}
	m := sandbox.Manifest{Entries: entries}
	for _, tc := range []struct {
		name, kind, path string
		in               any
	}{
		{"typed", "", "/0/entries/a/children/token.txt/content", m},
		{"run config", "", "/0/sandbox/manifest/entries/a/children/token.txt/content", sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &m}}},
		{"map", "manifest", "/0/entries/a/children/token.txt/content", m.ToMap()},
		{"run config map", "run_config", "/0/sandbox/manifest/entries/a/children/token.txt/content", map[string]any{"sandbox": map[string]any{"manifest": m.ToMap()}}},
		{"map under its key", "", "/0/manifest/entries/a/children/token.txt/content", map[string]any{"manifest": m.ToMap()}},
		{"map under the key sandbox", "", "/0/sandbox/manifest/entries/a/children/token.txt/content", map[string]any{"sandbox": map[string]any{"manifest": m.ToMap()}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			entry := sandboxed
			if tc.kind != "" {
				entry = bound(tc.kind, "")
			}
			env := environment(t, options(t, entry))
			env.RegisterActivityWithOptions(func(context.Context, any) error { t.Error("it ran"); return nil }, named("Push"))
			err := run(t, env, pushWorkflow(tc.in))
			wantRules(t, err, "literal-credential")
			if got := guard.Violations(err)[0].Path; got != tc.path {
				t.Errorf("path %q, want %q", got, tc.path)
			}
		})
	}
}

// TestRawJSONInputs are normalised and resolved as JSON.
func TestRawJSONInputs(t *testing.T) {
	in := json.RawMessage(jsonOf(t, manifestMap()))
	inner := &spy{}
	env := environment(t, options(t, bound("manifest", "")), inner)
	var got map[string]any
	env.RegisterActivityWithOptions(func(_ context.Context, raw json.RawMessage) error { return json.Unmarshal(raw, &got) }, named("Push"))
	if err := run(t, env, pushWorkflow(in)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(map[string]any{"LANG": "C.UTF-8", "API_TOKEN": canary}), envOf(got)); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if sent, ok := inner.calls("ExecuteActivity")[0].args[0].(json.RawMessage); !ok || holds([]any{sent}, canary) {
		t.Errorf("scheduled %s", sent)
	}
}

// explosive cannot be encoded.
type explosive struct{}

func (explosive) MarshalJSON() ([]byte, error) { panic("no JSON, " + githubToken) }

// TestWhatCannotBeLookedAtIsRefused: a marshaler that panics must not open a way
// around the guard, and its text is nobody's business.
func TestWhatCannotBeLookedAtIsRefused(t *testing.T) {
	m := manifestMap()
	m["root"] = explosive{}
	env := environment(t, options(t, bound("manifest", "")))
	env.RegisterActivityWithOptions(func(context.Context, any) error { t.Error("it ran"); return nil }, named("Push"))
	err := run(t, env, func(ctx workflow.Context) error { return pushWorkflow(m)(ctx) })
	if !guard.IsRefused(err) || holdsText(err, githubToken) {
		t.Errorf("got %v", err)
	}
}
