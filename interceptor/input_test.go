package interceptor_test

import (
	"context"
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// sandboxed is a policy for an activity Push that gets a run config or a manifest.
const sandboxed = `grants: [{secret: deploy, to: {env: API_TOKEN}}]
sandbox: {entries: [file, dir], env_literals: [LANG]}
`

func bound(kind, path string) string {
	return sandboxed + "inputs: [{activity: Push, argument: 0, path: \"" + path + "\", kind: " + kind + "}]\n"
}

// environmentMap is an environment in map form with one literal and one reference.
func environmentMap() map[string]any {
	return map[string]any{"value": map[string]any{
		"LANG":      "C.UTF-8",
		"API_TOKEN": map[string]any{"type": "temporal.worker_env_value", "name": "DEPLOY_TOKEN"},
	}}
}

func manifestMap() map[string]any {
	return map[string]any{"environment": environmentMap()}
}

func runConfigMap() map[string]any {
	return map[string]any{"workflow_name": "n", "sandbox": map[string]any{"client": "local", "manifest": manifestMap()}}
}

// envOf digs the environment out of what an activity got.
func envOf(v any, path ...string) any {
	for _, key := range append(path, "environment", "value") {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// TestMapsThatPolicyNamesAreResolved: form (b) of a run config or manifest.
func TestMapsThatPolicyNamesAreResolved(t *testing.T) {
	for _, tc := range []struct {
		name, kind, path string
		in               any
		at               []string
	}{
		{"manifest, whole argument", "manifest", "", manifestMap(), nil},
		{"manifest below a key", "manifest", "/m", map[string]any{"m": manifestMap()}, []string{"m"}},
		{"run config, whole argument", "run_config", "", runConfigMap(), []string{"sandbox", "manifest"}},
		{"run config below keys", "run_config", "/a/config", map[string]any{"a": map[string]any{"config": runConfigMap()}}, []string{"a", "config", "sandbox", "manifest"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := jsonOf(t, tc.in)
			var got any
			inner := &spy{}
			env := environment(t, options(t, bound(tc.kind, tc.path)), inner)
			env.RegisterActivityWithOptions(func(_ context.Context, in any) error { got = in; return nil }, named("Push"))
			if err := run(t, env, pushWorkflow(tc.in)); err != nil {
				t.Fatal(err)
			}
			want := map[string]any{"LANG": "C.UTF-8", "API_TOKEN": canary}
			if diff := cmp.Diff(any(want), envOf(got, tc.at...)); diff != "" {
				t.Errorf("environment (-want +got):\n%s", diff)
			}
			for _, c := range inner.calls("ExecuteActivity") {
				if holds(c.args, canary) || !holds(c.args, "temporal.worker_env_value") {
					t.Errorf("history gets %s", jsonOf(t, c.args))
				}
			}
			if after := jsonOf(t, tc.in); after != before {
				t.Errorf("the workflow's own map was written to: %s", after)
			}
		})
	}
}

func jsonOf(tb testing.TB, v any) string {
	tb.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return string(data)
}

// TestMapsAreNormalised: every spelling of a run config is written to history in
// the one canonical form.
func TestMapsAreNormalised(t *testing.T) {
	typed := sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
		"LANG": sandbox.EnvLiteral("C.UTF-8"), "API_TOKEN": sandbox.EnvSecret(secrets.Env("DEPLOY_TOKEN")),
	}}}
	for _, tc := range []struct {
		name string
		in   any
	}{
		{"map", manifestMap()},
		{"map with any keys", map[any]any{"environment": map[any]any{"value": environmentMap()["value"]}}},
		{"typed below a map", map[string]any{"environment": typed.Environment}},
		{"typed values in a map", map[string]any{"environment": map[string]any{"value": map[string]any{
			"LANG": sandbox.EnvLiteral("C.UTF-8"), "API_TOKEN": secrets.Env("DEPLOY_TOKEN"),
		}}}},
		{"RawMessage", json.RawMessage(jsonOf(t, manifestMap()))},
		{"short tag", map[string]any{"environment": map[string]any{"value": map[string]any{
			"LANG": "C.UTF-8", "API_TOKEN": map[string]any{"type": "secret_ref", "key": "DEPLOY_TOKEN"},
		}}}},
		{"entry form", map[string]any{"environment": map[string]any{"value": map[string]any{
			"LANG":      "C.UTF-8",
			"API_TOKEN": map[string]any{"value": map[string]any{"type": "temporal.worker_env_value", "name": "DEPLOY_TOKEN"}},
		}}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inner := &spy{}
			env := environment(t, options(t, bound("manifest", "/m")), inner)
			var got map[string]any
			env.RegisterActivityWithOptions(func(_ context.Context, in map[string]any) error { got = in; return nil }, named("Push"))
			if err := run(t, env, pushWorkflow(map[string]any{"m": tc.in})); err != nil {
				t.Fatal(err)
			}
			token := envOf(got, "m").(map[string]any)["API_TOKEN"]
			if m, ok := token.(map[string]any); ok { // the entry form keeps its shape
				token = m["value"].(map[string]any)["value"]
			}
			if token != canary {
				t.Errorf("the activity got %v", got)
			}
			sent := jsonOf(t, inner.calls("ExecuteActivity")[0].args)
			if !strings.Contains(sent, `{"name":"DEPLOY_TOKEN","type":"temporal.worker_env_value"}`) {
				t.Errorf("history gets %s", sent)
			}
		})
	}
}

// TestFaultsOfInputs: what does not pass, with every fault at its place.
func TestFaultsOfInputs(t *testing.T) {
	with := func(change func(m map[string]any)) map[string]any {
		m := runConfigMap()
		change(m)
		return m
	}
	box := func(m map[string]any) map[string]any { return m["sandbox"].(map[string]any) }
	manifest := func(m map[string]any) map[string]any { return box(m)["manifest"].(map[string]any) }
	for _, tc := range []struct {
		name  string
		in    any
		rules []string
		path  string
	}{
		{"live session", with(func(m map[string]any) { box(m)["session"] = map[string]any{"id": "x"} }), []string{"live-session"}, "/0/sandbox/session"},
		{"path grants in map form", with(func(m map[string]any) { manifest(m)["extra_path_grants"] = []any{map[string]any{"path": "/srv"}} }), []string{"map-path-grants"}, "/0/sandbox/manifest/extra_path_grants"},
		{"unknown key", with(func(m map[string]any) { manifest(m)["volumes"] = 1 }), []string{"unknown-key"}, "/0/sandbox/manifest/volumes"},
		{"unlisted literal", with(func(m map[string]any) { envOf(manifest(m)).(map[string]any)["EDITOR"] = "vi" }), []string{"env-literal-unlisted"}, "/0/sandbox/manifest/environment/value/EDITOR"},
		{"credential in the environment", with(func(m map[string]any) { envOf(manifest(m)).(map[string]any)["LANG"] = githubToken }), []string{"env-literal-credential"}, "/0/sandbox/manifest/environment/value/LANG"},
		{"ungranted reference", with(func(m map[string]any) {
			envOf(manifest(m)).(map[string]any)["API_TOKEN"] = secrets.EnvRef("OTHER_TOKEN").ToMap()
		}), []string{"secret-not-granted"}, "/0/sandbox/manifest/environment/value/API_TOKEN"},
		{"granted to another variable", with(func(m map[string]any) {
			envOf(manifest(m)).(map[string]any)["LANG"] = secrets.EnvRef("DEPLOY_TOKEN").ToMap()
		}), []string{"secret-not-granted"}, "/0/sandbox/manifest/environment/value/LANG"},
		{"two faults", with(func(m map[string]any) { box(m)["session"] = 1; manifest(m)["nope"] = 1 }), []string{"unknown-key", "live-session"}, "/0/sandbox/manifest/nope"},
		{"not a map", "text", []string{"wrong-type"}, "/0"},
		{"a number", 7, []string{"wrong-type"}, "/0"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, bound("run_config", "")))
			env.RegisterActivityWithOptions(func(context.Context, any) error { t.Error("it ran"); return nil }, named("Push"))
			err := run(t, env, pushWorkflow(tc.in))
			wantRules(t, err, tc.rules...)
			if got := guard.Violations(err)[0].Path; got != tc.path {
				t.Errorf("path %q, want %q", got, tc.path)
			}
			// The worker judges for itself: the starter may have no guard.
			_, err = attempt(t, options(t, bound("run_config", "")), func(context.Context, any) error { t.Error("it ran"); return nil }, tc.in)
			wantRules(t, err, tc.rules...)
		})
	}
}

// TestMissingInput: policy says that there is a run config, and there is none.
func TestMissingInput(t *testing.T) {
	for _, in := range []any{map[string]any{}, map[string]any{"config": nil}, tagInput{}} {
		env := environment(t, options(t, bound("run_config", "/config")))
		env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Push"))
		err := run(t, env, pushWorkflow(in))
		if m, ok := in.(map[string]any); ok && m != nil {
			// A map without it, or with null, asks for the default.
			if err != nil {
				t.Errorf("%v: %v", in, err)
			}
			continue
		}
		wantRules(t, err, "input-missing")
	}
}

// TestTypedManifestsAndRunConfigs: form (a), in every place of a struct.
func TestTypedManifestsAndRunConfigs(t *testing.T) {
	m := sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
		"LANG": sandbox.EnvLiteral("C.UTF-8"), "API_TOKEN": sandbox.EnvSecret(secrets.Env("DEPLOY_TOKEN")),
	}}}
	type job struct {
		Manifest  sandbox.Manifest    `json:"m"`
		Pointer   *sandbox.Manifest   `json:"p"`
		List      []sandbox.Manifest  `json:"l"`
		RunConfig sandbox.RunConfig   `json:"r"`
		Config    *sandbox.RunConfig  `json:"c"`
		Kept      map[string]struct{} `json:"k"`
	}
	config := sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &m}}
	for _, tc := range []struct {
		name string
		in   job
		from func(job) sandbox.Manifest
	}{
		{"value", job{Manifest: m}, func(j job) sandbox.Manifest { return j.Manifest }},
		{"pointer", job{Pointer: &m}, func(j job) sandbox.Manifest { return *j.Pointer }},
		{"list", job{List: []sandbox.Manifest{{}, m}}, func(j job) sandbox.Manifest { return j.List[1] }},
		{"run config", job{RunConfig: config}, func(j job) sandbox.Manifest { return *j.RunConfig.Sandbox.Manifest }},
		{"pointer to a run config", job{Config: &config}, func(j job) sandbox.Manifest { return *j.Config.Sandbox.Manifest }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var revealed string
			env := environment(t, options(t, sandboxed))
			env.RegisterActivityWithOptions(func(_ context.Context, in job) (err error) {
				revealed, err = tc.from(in).Environment.Values["API_TOKEN"].Secret.Reveal()
				return err
			}, named("Push"))
			if err := run(t, env, pushWorkflow(tc.in)); err != nil || revealed != canary {
				t.Errorf("revealed %q, %v", revealed, err)
			}
			if m.Environment.Values["API_TOKEN"].Secret.Resolved() {
				t.Error("the workflow's own manifest holds the value")
			}
		})
	}
}

// TestReferencesInMemoAndSignalsAreOnlyJudged: no other channel resolves.
func TestManifestsOnOtherChannels(t *testing.T) {
	bad := maps.Clone(manifestMap())
	bad["nope"] = 1
	env := environment(t, options(t, sandboxed))
	var good, refused error
	if err := run(t, env, func(ctx workflow.Context) error {
		good = workflow.UpsertMemo(ctx, map[string]any{"k": map[string]any{"manifest": manifestMap()}})
		refused = workflow.UpsertMemo(ctx, map[string]any{"k": sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "srv"}}}})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if good != nil {
		t.Error(good)
	}
	wantRules(t, refused, "path-grant-relative")
}
