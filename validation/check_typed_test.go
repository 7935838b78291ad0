package validation_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

const agentsPolicy = `
version: 1
secrets:
  reports-api: {ref: "env:REPORTS_API_TOKEN", owner: data, reason: reference table, review_by: 2027-03-31}
queues:
  agents:
    mode: enforce
    sandbox:
      entries: [file, dir, git_repo, local_file, local_dir, s3_mount]
      local_roots: {fixtures: /srv/fixtures}
      env_literals: [LANG, TZ]
      path_grants: [{path: /srv/reference}]
    grants:
      - {secret: reports-api, to: {env: REPORTS_TOKEN}}
`

// places returns path and rule of violations, which is what tests compare.
func places(violations []validation.Violation) []string {
	var out []string
	for _, v := range violations {
		out = append(out, v.Path+" "+v.Rule)
	}
	return out
}

// TestCheckManifestOfTypes checks what only typed code can build, since decoders
// refuse it before.
func TestCheckManifestOfTypes(t *testing.T) {
	policy := mustPolicy(t, agentsPolicy, "agents")
	host := "/home/ci/.aws"
	entry := func(e sandbox.Entry) sandbox.Manifest {
		return sandbox.Manifest{Entries: map[string]sandbox.Entry{"x": e}}
	}
	tests := []struct {
		name string
		in   sandbox.Manifest
		want []string
	}{
		{"zero", sandbox.Manifest{}, nil},
		{
			"both literal and secret",
			sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
				"REPORTS_TOKEN": {Literal: "x", Secret: secrets.Env("REPORTS_API_TOKEN")},
			}}},
			[]string{"/0/environment/value/REPORTS_TOKEN env-literal-credential"},
		},
		{
			"pasted value instead of a name",
			sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
				"REPORTS_TOKEN": sandbox.EnvSecret(secrets.Env("ghp_R8x2Qm4Zt7Lw0Kd5Vb1Yc3Ns6Pf9Hj2AgTuE")),
			}}},
			[]string{"/0/environment/value/REPORTS_TOKEN literal-in-secret-field"},
		},
		{
			"every fault of a grant",
			sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{
				{Path: "/srv/reference", ReadOnly: true},
				{Path: "reference", HostPath: &host},
				{Path: "/", ReadOnly: true},
				{Path: "", ReadOnly: true},
				{Path: "//srv//reference/./x/", ReadOnly: true},
			}},
			[]string{
				"/0/extra_path_grants/1 host-path-grant", "/0/extra_path_grants/1/path path-grant-relative",
				"/0/extra_path_grants/2/path path-grant-root", "/0/extra_path_grants/3/path path-grant-relative",
			},
		},
		{"unknown kind", entry(sandbox.Entry{Type: "ftp_mount"}), []string{"/0/entries/x/type entry-kind"}},
		{"no kind", entry(sandbox.Entry{}), []string{"/0/entries/x/type entry-kind"}},
		{
			"a mount that is no object",
			entry(sandbox.Entry{Type: "s3_mount", Raw: json.RawMessage(`["x"]`)}),
			[]string{"/0/entries/x syntax"},
		},
		{
			"a mount that is no JSON",
			entry(sandbox.Entry{Type: "s3_mount", Raw: json.RawMessage(`{"bucket": "a`)}),
			[]string{"/0/entries/x syntax"},
		},
		{
			"a key that stands twice",
			entry(sandbox.Entry{Type: "s3_mount", Raw: json.RawMessage(`{"type":"s3_mount","session_token":"x","session_token":null}`)}),
			[]string{"/0/entries/x/session_token mount-credential"},
		},
		{
			"a relative root",
			sandbox.Manifest{Root: "/box", Entries: map[string]sandbox.Entry{
				"in":  {Type: "s3_mount", Raw: json.RawMessage(`{"mount_path":"/box/in"}`)},
				"out": {Type: "s3_mount", Raw: json.RawMessage(`{"mount_path":"/workspace/out"}`)},
			}},
			[]string{"/0/entries/out/mount_path entry-path-escape"},
		},
		{"an entry that is the root", sandbox.Manifest{Entries: map[string]sandbox.Entry{
			"": {Type: "dir"}, ".": {Type: "dir"}, "a\x00b": {Type: "dir"},
		}}, []string{"/0/entries/. entry-path-escape", "/0/entries/0 entry-path-escape", "/0/entries/2 entry-path-escape"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := policy.CheckManifest(tt.in, "StartJob/0")
			if diff := cmp.Diff(tt.want, places(got)); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
			if text := validation.NewError(got); text != nil && strings.Contains(text.Error(), host) {
				t.Errorf("the host path is shown: %v", text)
			}
		})
	}
}

func TestCheckManifestDepth(t *testing.T) {
	policy := mustPolicy(t, agentsPolicy, "agents")
	nested := func(levels int) sandbox.Manifest {
		entry := sandbox.Entry{Type: "file", Content: "x"}
		for range levels - 1 {
			entry = sandbox.Entry{Type: "dir", Children: map[string]sandbox.Entry{"a": entry}}
		}
		return sandbox.Manifest{Entries: map[string]sandbox.Entry{"a": entry}}
	}
	if got := policy.CheckManifest(nested(32), "StartJob/0"); len(got) != 0 {
		t.Errorf("32 levels break %v", places(got))
	}
	got := policy.CheckManifest(nested(33), "StartJob/0")
	if len(got) != 1 || got[0].Rule != validation.RuleManifestSize {
		t.Errorf("33 levels break %v, want %s", places(got), validation.RuleManifestSize)
	}
}

func TestCheckRunConfigOfTypes(t *testing.T) {
	policy := mustPolicy(t, agentsPolicy, "agents")
	hostNetwork := "host"
	rc := sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{
		Options: &sandbox.ClientOptions{
			Type: "docker", NetworkMode: &hostNetwork,
			Labels: map[string]string{"team": "data", "note": "ghp_R8x2Qm4Zt7Lw0Kd5Vb1Yc3Ns6Pf9Hj2AgTuE"},
		},
		Manifest: &sandbox.Manifest{Entries: map[string]sandbox.Entry{"x": {Type: "box_mount"}}},
		SessionState: &sandbox.SessionState{
			Type: "docker", NetworkMode: &hostNetwork, UnboundGrants: []string{"/srv/reference"},
			Manifest: sandbox.Manifest{Entries: map[string]sandbox.Entry{"y": {Type: "box_mount"}}},
			Extra:    json.RawMessage(`{"env": {"LANG": "C", "EDITOR": 7}}`),
		},
	}}
	want := []string{
		"/1/config/sandbox/manifest/entries/x/type entry-kind",
		"/1/config/sandbox/options/labels/note client-option-credential",
		"/1/config/sandbox/options/network_mode network-mode",
		"/1/config/sandbox/session_state/env/EDITOR client-option-credential",
		"/1/config/sandbox/session_state/manifest/entries/y/type entry-kind",
		"/1/config/sandbox/session_state/manifest/extra_path_grants/0 host-path-grant",
		"/1/config/sandbox/session_state/network_mode network-mode",
	}
	if diff := cmp.Diff(want, places(policy.CheckRunConfig(rc, "StartJob/1/config"))); diff != "" {
		t.Errorf("violations (-want +got):\n%s", diff)
	}
	if got := policy.CheckRunConfig(sandbox.RunConfig{}, "StartJob/1/config"); len(got) != 0 {
		t.Errorf("an empty run config breaks %v", places(got))
	}
}

// TestCheckManifestShowsNoValue puts a marker into every text and name of a
// manifest that breaks every rule.
func TestCheckManifestShowsNoValue(t *testing.T) {
	policy := mustPolicy(t, "version: 1\nqueues:\n  agents: {mode: enforce}\n", "agents")
	const value, name = "marker-value", "marker name"
	text, host := value, "/home/"+value
	m := sandbox.Manifest{
		Root: value,
		Entries: map[string]sandbox.Entry{
			name: {
				Type: value, Description: &text, Src: value, Content: value, Host: "u:" + value + "@h", Repo: value,
				Children: map[string]sandbox.Entry{
					"../" + name: {Type: "local_file", Src: "/" + value},
					"mount": {Type: "s3_mount", Raw: json.RawMessage(
						`{"token":"` + value + `","` + name + `":"https://u:` + value + `@h/","endpoint":"` + value + `@h"}`)},
				},
			},
		},
		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
			name:       {Literal: value},
			"PASSWORD": {Literal: value},
			"REF":      sandbox.EnvSecret(secrets.Env("MARKER_VALUE")),
		}},
		ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/" + name, HostPath: &host}, {Path: value}},
	}
	rc := sandbox.RunConfig{
		Tracing: json.RawMessage(`{"api_key":"` + value + `"}`),
		Sandbox: &sandbox.SandboxRunConfig{
			Manifest: &m,
			Options: &sandbox.ClientOptions{Type: "e2b", Raw: json.RawMessage(
				`{"api_key":"` + value + `","envs":{"` + name + `":"` + value + `"},"network_mode":"` + value + `"}`)},
		},
	}
	for _, got := range [][]validation.Violation{policy.CheckManifest(m, "A/0"), policy.CheckRunConfig(rc, "A/0")} {
		if len(got) < 8 {
			t.Fatalf("the manifest breaks only %v", places(got))
		}
		if all := validation.NewError(got).Error(); strings.Contains(strings.ToLower(all), "marker") {
			t.Errorf("a value or an unsafe name is shown:\n%s", all)
		}
	}
}

// largeManifest breaks nothing under agentsPolicy.
func largeManifest(entries int) sandbox.Manifest {
	m := sandbox.Manifest{
		Entries: map[string]sandbox.Entry{},
		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
			"LANG": sandbox.EnvLiteral("C.UTF-8"), "TZ": sandbox.EnvLiteral("Europe/Vienna"),
			"REPORTS_TOKEN": sandbox.EnvSecret(secrets.Env("REPORTS_API_TOKEN")),
		}},
		ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/reference", ReadOnly: true}},
	}
	for i := range entries {
		name := "input/part-" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + "/" + strings.Repeat("y", i/26)
		m.Entries[name] = sandbox.Entry{Type: "file", Content: "a few words of content"}
	}
	return m
}

// TestCheckManifestAllocatesNothing holds the promise of CheckManifest.
func TestCheckManifestAllocatesNothing(t *testing.T) {
	policy := mustPolicy(t, agentsPolicy, "agents")
	m := largeManifest(50)
	if got := policy.CheckManifest(m, "StartJob/0"); len(got) != 0 {
		t.Fatalf("the manifest breaks %v", places(got))
	}
	allocs := testing.AllocsPerRun(100, func() { policy.CheckManifest(m, "StartJob/0") })
	if allocs != 0 {
		t.Errorf("CheckManifest allocates %v times", allocs)
	}
}

func BenchmarkCheckManifest(b *testing.B) {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(agentsPolicy))
	if err != nil {
		b.Fatal(err)
	}
	policy, _ := policies.PolicyFor(validation.Queue{Name: "agents"})
	m := largeManifest(1000)
	b.Run("check", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			policy.CheckManifest(m, "StartJob/0")
		}
	})
	b.Run("marshal", func(b *testing.B) {
		for b.Loop() {
			if _, err := json.Marshal(m); err != nil {
				b.Fatal(err)
			}
		}
	})
}
