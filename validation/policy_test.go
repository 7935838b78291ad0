package validation_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

const fullPolicy = `
version: 1
secrets:
  deploy: {ref: "file:github/deploy-token", owner: release-eng, reason: push the tag, review_by: 2027-06-30}
  signing: {ref: "vault:transit/release#key@4", owner: release-eng, reason: sign, review_by: 2027-06-30}
queues:
  deploys:
    mode: enforce
    workflows: [Release]
    inputs:
      - {activity: StartJob, path: /config, kind: run_config}
      - {activity: StartJob, argument: 1, kind: manifest}
    literals: report
    allow_literals:
      - {path: StartJob/0/config/manifest/environment/DEMO_KEY, rule: env-literal-credential, reason: demo}
      - {path: "*/1/*/note", rule: literal-credential, reason: demo}
    grants:
      - {secret: deploy, to: {activity: PushTag, input: /0/token}}
      - {secret: signing, to: {activity: Sign, input: /0/key}, literal: strip, destination_fixed: true}
      - {secret: deploy, to: {activity: PushTag, input: "/1/items/*/token"}, literal: replace}
      - {secret: deploy, to: {env: DEPLOY_TOKEN}}
    redact: ["env:SLACK_WEBHOOK"]
  deploys-*: {mode: report}
  deploys-eu-*: {mode: enforce, workflows: []}
  deploys-eu-1: {mode: report, literals: "off"}
`

func TestPolicyFor(t *testing.T) {
	policies := mustParse(t, fullPolicy)
	tests := []struct{ queue, want string }{
		{"deploys", "deploys"},
		{"deploys-", "deploys-*"},
		{"deploys-us", "deploys-*"},
		{"deploys-eu", "deploys-*"},
		{"deploys-eu-2", "deploys-eu-*"},
		{"deploys-eu-1", "deploys-eu-1"},
		{"deploys-eu-11", "deploys-eu-*"},
		{"deploys-*", "deploys-*"},
		{"Deploys", ""},
		{"deploy", ""},
		{"", ""},
	}
	for _, tt := range tests {
		policy, ok := policies.PolicyFor(validation.Queue{Namespace: "prod", Name: tt.queue})
		if policy.Entry() != tt.want || ok != (tt.want != "") {
			t.Errorf("queue %q is under %q, %v, want %q", tt.queue, policy.Entry(), ok, tt.want)
		}
	}
	if diff := cmp.Diff([]string{"deploys", "deploys-*", "deploys-eu-*", "deploys-eu-1"}, policies.Entries()); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if policies.HasDefault() {
		t.Error("the file has a default")
	}
	withDefault := mustParse(t, fullPolicy+"default: {mode: report}\n")
	if policy, ok := withDefault.PolicyFor(validation.Queue{Name: "x"}); !ok || policy.Entry() != "default" || !withDefault.HasDefault() {
		t.Errorf("an unlisted queue is under %q, %v, want the default", policy.Entry(), ok)
	}
}

func TestPolicyRights(t *testing.T) {
	policy := mustPolicy(t, fullPolicy, "deploys")
	if policy.Mode() != validation.ModeEnforce || policy.Literals() != validation.LiteralsReport {
		t.Errorf("mode %s, literals %s", policy.Mode(), policy.Literals())
	}
	if !policy.AllowsWorkflow("Release") || policy.AllowsWorkflow("release") || policy.AllowsWorkflow("") {
		t.Error("workflows are not exactly those that are listed")
	}
	if !mustPolicy(t, fullPolicy, "deploys-x").AllowsWorkflow("Any") || mustPolicy(t, fullPolicy, "deploys-eu-x").AllowsWorkflow("Any") {
		t.Error("absent workflows must allow every type, an empty list none")
	}
	wantInputs := []validation.Input{
		{Argument: 0, Path: "/config", Kind: validation.KindRunConfig},
		{Argument: 1, Path: "", Kind: validation.KindManifest},
	}
	if diff := cmp.Diff(wantInputs, policy.Inputs("StartJob")); diff != "" {
		t.Errorf("inputs (-want +got):\n%s", diff)
	}
	if len(policy.Inputs("Other")) != 0 || len(policy.InputGrants("Other")) != 0 {
		t.Error("an activity that is not listed has inputs or grants")
	}
	var grants []string
	for _, activity := range []string{"PushTag", "Sign"} {
		for _, g := range policy.InputGrants(activity) {
			line := g.Activity + " " + g.Input.String() + " " + g.Secret.Name + " " + g.Secret.Ref.String() + " " + g.Literal.String()
			if g.DestinationFixed {
				line += " fixed"
			}
			grants = append(grants, line)
		}
	}
	wantGrants := []string{
		"PushTag /0/token deploy file:github/deploy-token refuse",
		"PushTag /1/items/*/token deploy file:github/deploy-token replace",
		"Sign /0/key signing vault:transit/release#key@4 strip fixed",
	}
	if diff := cmp.Diff(wantGrants, grants); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
	if g, ok := policy.EnvGrant("DEPLOY_TOKEN", secrets.FileRef("github/deploy-token")); !ok || g.Env != "DEPLOY_TOKEN" || g.Activity != "" {
		t.Errorf("the grant to a variable is %+v, %v", g.Env, ok)
	}
	if diff := cmp.Diff([]secrets.Ref{secrets.EnvRef("SLACK_WEBHOOK")}, policy.RedactRefs()); diff != "" {
		t.Errorf("redact (-want +got):\n%s", diff)
	}
}

func TestLiteralAllowed(t *testing.T) {
	policy := mustPolicy(t, fullPolicy, "deploys")
	const rule = validation.RuleEnvLiteralCredential
	tests := []struct {
		path, rule string
		want       bool
		reason     string
	}{
		{"StartJob/0/config/manifest/environment/DEMO_KEY", rule, true, "as the file has it"},
		{"StartJob/0/config/sandbox/manifest/environment/value/DEMO_KEY", rule, true, "with the levels of the wire"},
		{"StartJob/0/config/sandbox/environment/DEMO_KEY", rule, false, "sandbox is left out before manifest only"},
		{"StartJob/0/config/manifest/environment/DEMO_KEY", validation.RuleLiteralCredential, false, "another rule"},
		{"StartJob/0/config/manifest/environment/OTHER", rule, false, "another variable"},
		{"OtherJob/0/config/manifest/environment/DEMO_KEY", rule, false, "another activity"},
		{"/0/config/manifest/environment/DEMO_KEY", rule, false, "an activity that is not named"},
		{"Anything/1/x/note", validation.RuleLiteralCredential, true, "stars"},
		{"/1/x/note", validation.RuleLiteralCredential, true, "a star matches what is not named"},
		{"Anything/1/x/y/note", validation.RuleLiteralCredential, false, "a star is one segment"},
		{"Anything/1/x/note~", validation.RuleLiteralCredential, false, "what is no path is not allowed"},
		{"", validation.RuleLiteralCredential, false, "nor is nothing"},
	}
	for _, tt := range tests {
		if got := policy.LiteralAllowed(tt.path, tt.rule); got != tt.want {
			t.Errorf("%s at %q is allowed: %v, want %v: %s", tt.rule, tt.path, got, tt.want, tt.reason)
		}
	}
}

// TestZeroPolicy shows that nothing passes a policy that nobody loaded.
func TestZeroPolicy(t *testing.T) {
	var policy validation.Policy
	if policy.Mode() != validation.ModeUnset || policy.Literals() != validation.LiteralsEnforce || policy.AllowsWorkflow("") {
		t.Error("the zero Policy allows something")
	}
	if _, ok := policy.EnvGrant("A", secrets.EnvRef("A")); ok || policy.InputGrants("A") != nil || policy.Inputs("A") != nil {
		t.Error("the zero Policy grants something")
	}
	if policy.LiteralAllowed("A/0", validation.RuleLiteralCredential) || policy.RedactRefs() != nil || policy.Digest() != "" || policy.Entry() != "" {
		t.Error("the zero Policy has contents")
	}
	for at, want := range map[string]string{"StartJob/0/x": "/0/x", "/0/x": "/0/x", "": "", "StartJob": ""} {
		for _, got := range [][]validation.Violation{policy.CheckManifest(sandbox.Manifest{}, at), policy.CheckRunConfig(sandbox.RunConfig{}, at)} {
			if len(got) != 1 || got[0].Rule != validation.RuleQueueUnlisted || got[0].Path != want {
				t.Errorf("at %q the zero Policy reports %v, want %s at %q", at, got, validation.RuleQueueUnlisted, want)
			}
		}
	}
	for _, policies := range []*validation.Policies{nil, {}} {
		if _, ok := policies.PolicyFor(validation.Queue{Name: "agents"}); ok || policies.HasDefault() || policies.Digest() != "" {
			t.Error("zero Policies have a policy")
		}
		if len(policies.Entries())+len(policies.Secrets()) != 0 || policies.Name() != "" {
			t.Error("zero Policies have contents")
		}
	}
}

func TestDigests(t *testing.T) {
	base := mustParse(t, fullPolicy)
	if !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(base.Digest()) {
		t.Fatalf("the digest is %q, want 8 hex digits", base.Digest())
	}
	same := map[string]string{
		"a comment": "# reviewed\n" + fullPolicy,
		"quotes":    strings.Replace(fullPolicy, "owner: release-eng", `owner: "release-eng"`, 1),
		"order":     strings.Replace(fullPolicy, "[Release]", "[ Release ]", 1),
	}
	for name, src := range same {
		if got := mustParse(t, src); got.Digest() != base.Digest() || deploysDigest(t, got) != deploysDigest(t, base) {
			t.Errorf("%s changes a digest", name)
		}
	}
	tests := []struct {
		name, old, new string
		queue          bool // the digest of the queue deploys changes too
	}{
		{"a mode", "deploys-*: {mode: report}", "deploys-*: {mode: enforce}", false},
		{"a grant", "input: /0/token", "input: /0/tokens", true},
		{"a granted reference", "file:github/deploy-token", "file:github/deploy-token2", true},
		{"a review", "sign, review_by: 2027-06-30", "sign, review_by: 2027-07-30", true},
		{"a literal mode", "literal: replace", "literal: strip", true},
		{"an exception", "note, rule", "notes, rule", false},
	}
	tests[len(tests)-1].old, tests[len(tests)-1].new, tests[len(tests)-1].queue = `*/1/*/note"`, `*/1/*/notes"`, true
	for _, tt := range tests {
		changed := strings.Replace(fullPolicy, tt.old, tt.new, 1)
		if changed == fullPolicy {
			t.Fatalf("%s changes nothing", tt.name)
		}
		got := mustParse(t, changed)
		if got.Digest() == base.Digest() {
			t.Errorf("%s does not change the file's digest", tt.name)
		}
		if (deploysDigest(t, got) != deploysDigest(t, base)) != tt.queue {
			t.Errorf("%s: the queue's digest changes: %v, want %v", tt.name, !tt.queue, tt.queue)
		}
	}
}

func deploysDigest(t *testing.T, p *validation.Policies) string {
	t.Helper()
	policy, ok := p.PolicyFor(validation.Queue{Name: "deploys"})
	if !ok || policy.Digest() == "" {
		t.Fatal("the queue deploys has no digest")
	}
	return policy.Digest()
}

// TestReferenceExample loads the example of the policy reference: with the keys of
// later versions it names each of them, without them it is in force.
func TestReferenceExample(t *testing.T) {
	doc, err := os.ReadFile("../docs/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(doc), -1)
	if len(blocks) < 2 {
		t.Fatalf("docs/policy.md has %d yaml blocks, want the example and the one with later keys", len(blocks))
	}
	loaded := mustParse(t, blocks[0][1])
	if diff := cmp.Diff([]string{"agents", "deploys"}, loaded.Entries()); diff != "" {
		t.Errorf("entries of the example (-want +got):\n%s", diff)
	}
	if len(loaded.Secrets()) != 4 || !loaded.HasDefault() {
		t.Error("the example has lost its secrets or its default")
	}
	agents, _ := loaded.PolicyFor(validation.Queue{Name: "agents"})
	if agents.Limits().Memory != 2<<30 || len(agents.Backends()) != 2 {
		t.Errorf("the example has the limits %s and the backends %v", agents.Limits(), agents.Backends())
	}
	_, err = validation.ParsePolicies("policy.yaml", []byte(blocks[1][1]))
	if err == nil {
		t.Fatal("keys of later versions load")
	}
	for _, key := range []string{
		"approvers", "queues.agents.grants[0].to.tool", "queues.agents.grants[0].allow", "queues.agents.grants[1].max_ttl",
		"queues.agents.network", "queues.agents.snapshots", "queues.agents.outputs",
	} {
		if !strings.Contains(err.Error(), ": "+key+": is not in this version") {
			t.Errorf("the error does not name %s:\n%v", key, err)
		}
	}
	if strings.Count(err.Error(), "\n") != strings.Count(err.Error(), "is not in this version") {
		t.Errorf("the example has other problems too:\n%v", err)
	}
}

func TestDestinationField(t *testing.T) {
	for _, name := range []string{
		"url", "URL", "base_url", "baseUrl", "BaseURL", "APIBaseURL", "base-url", "baseurl", "url2", "urls", "callback.url",
		"host", "Host", "db_host", "dbHost", "hostname", "hosts", "endpoint", "Endpoints", "endpoint_1",
		"address", "addresses", "ip_address", "addr", "webhook", "SlackWebhook", "webhook_url", "server", "smtp_server", "servers",
		"destination", "domain", "uri",
	} {
		if !validation.DestinationField(name) {
			t.Errorf("%s is no destination", name)
		}
	}
	for _, name := range []string{
		"", "token", "hosted", "ghost", "curl", "serverless", "url_token", "hostKeys", "addressee", "observer", "_", "0",
		"tag", "repository", "message", "curls",
	} {
		if validation.DestinationField(name) {
			t.Errorf("%s is a destination", name)
		}
	}
}
