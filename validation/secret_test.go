package validation_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

const tenantPolicy = `
version: 1
secrets:
  tenant: {ref: "vault:{namespace}/{tenant}/app#{task_queue}-token", owner: data, reason: the tenant's API, review_by: 2027-03-31}
  fixed: {ref: "env:FIXED", owner: data, reason: fixed, review_by: 2027-03-31}
queues:
  agents:
    mode: enforce
    workflow_id: "^(?P<tenant>[^/]+)/job-.*$"
    grants:
      - {secret: tenant, to: {env: TENANT}}
      - {secret: fixed, to: {env: FIXED}}
`

func mustParse(t *testing.T, src string) *validation.Policies {
	t.Helper()
	policies, err := validation.ParsePolicies("policy.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return policies
}

func mustPolicy(t *testing.T, src, queue string) validation.Policy {
	t.Helper()
	policy, ok := mustParse(t, src).PolicyFor(validation.Queue{Namespace: "prod", Name: queue})
	if !ok {
		t.Fatalf("no policy for queue %s", queue)
	}
	return policy
}

func mustRef(t *testing.T, s string) secrets.Ref {
	t.Helper()
	ref, err := secrets.ParseRef(s)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func TestSecretRefFor(t *testing.T) {
	policy := mustPolicy(t, tenantPolicy, "agents")
	grant, ok := policy.EnvGrant("TENANT", mustRef(t, "vault:prod/acme/app#agents-token"))
	if !ok {
		t.Fatal("no grant to TENANT")
	}
	scope := func(namespace, queue, id string) validation.RefScope {
		return validation.RefScope{Namespace: namespace, TaskQueue: queue, WorkflowID: id}
	}
	tests := []struct {
		name   string
		scope  validation.RefScope
		want   string // "" is refused
		reason string
	}{
		{"filled", scope("prod", "agents", "acme/job-1"), "vault:prod/acme/app#agents-token", "all three filled"},
		{"longest", scope("prod", "agents", strings.Repeat("a", 64)+"/job-1"), "vault:prod/" + strings.Repeat("a", 64) + "/app#agents-token", "64 characters are fine"},
		{"other form", scope("prod", "agents", "job-1"), "", "the workflow id does not match"},
		{"prefix", scope("prod", "agents", "x\nacme/job-1"), "", "a line before it does not help"},
		{"too long", scope("prod", "agents", strings.Repeat("a", 65)+"/job-1"), "", "65 are not"},
		{"dots", scope("prod", "agents", "../job-1"), "", "would lead out of the tenant's directory"},
		{"dot", scope("prod", "agents", "a.b/job-1"), "", "no dots at all"},
		{"field", scope("prod", "agents", "acme#x/job-1"), "", "would choose another field"},
		{"version", scope("prod", "agents", "acme@1/job-1"), "", "would choose another version"},
		{"provider", scope("prod", "agents", "env:A/job-1"), "", "would choose another provider"},
		{"placeholder", scope("prod", "agents", "{namespace}/job-1"), "", "what is filled in is not looked at again"},
		{"no namespace", scope("", "agents", "acme/job-1"), "", "an empty placeholder would join two segments"},
		{"slash in queue", scope("prod", "agents/x", "acme/job-1"), "", "the queue is filled in by the same rule"},
		{"unicode", scope("prod", "agents", "äcme/job-1"), "", "letters of other alphabets can be confused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := grant.Secret.RefFor(tt.scope)
			if tt.want != "" {
				if err != nil || got.String() != tt.want {
					t.Fatalf("RefFor gives %s, %v, want %s: %s", got, err, tt.want, tt.reason)
				}
				return
			}
			var refused *validation.Error
			if !errors.As(err, &refused) || refused.Violations[0].Rule != validation.RuleSecretScope || !got.IsZero() {
				t.Fatalf("RefFor gives %s, %v, want rule %s: %s", got, err, validation.RuleSecretScope, tt.reason)
			}
			if strings.Contains(err.Error(), tt.scope.WorkflowID) {
				t.Errorf("the error quotes the workflow id: %v", err)
			}
		})
	}
}

func TestSecretRefForWithoutPlaceholders(t *testing.T) {
	policy := mustPolicy(t, tenantPolicy, "agents")
	grant, _ := policy.EnvGrant("FIXED", secrets.EnvRef("FIXED"))
	got, err := grant.Secret.RefFor(validation.RefScope{})
	if err != nil || got != secrets.EnvRef("FIXED") {
		t.Errorf("RefFor gives %s, %v", got, err)
	}
	if _, err := (validation.Secret{}).RefFor(validation.RefScope{}); !errors.Is(err, secrets.ErrInvalid) {
		t.Errorf("the zero Secret gives %v, want %v", err, secrets.ErrInvalid)
	}
}

// TestUnboundSecretRefFor shows that a secret that was not read from a grant has
// no tenant.
func TestUnboundSecretRefFor(t *testing.T) {
	for _, s := range mustParse(t, tenantPolicy).Secrets() {
		if s.Name != "tenant" {
			continue
		}
		if _, err := s.RefFor(validation.RefScope{Namespace: "prod", TaskQueue: "agents", WorkflowID: "acme/job-1"}); err == nil {
			t.Error("the group of a queue's pattern was filled without the queue")
		}
	}
}

func TestEnvGrant(t *testing.T) {
	policy := mustPolicy(t, tenantPolicy, "agents")
	tests := []struct {
		env, ref string
		want     bool
		reason   string
	}{
		{"FIXED", "env:FIXED", true, "exactly what is granted"},
		{"FIXED", "env:FIXED2", false, "another name"},
		{"FIXED", "file:FIXED", false, "another provider"},
		{"OTHER", "env:FIXED", false, "another variable"},
		{"fixed", "env:FIXED", false, "variables differ by case"},
		{"TENANT", "vault:prod/acme/app#agents-token", true, "what the placeholders can become"},
		{"TENANT", "vault:{namespace}/{tenant}/app#{task_queue}-token", true, "the reference of the policy itself"},
		{"TENANT", "vault:prod/a/b/app#agents-token", false, "a placeholder is one segment"},
		{"TENANT", "vault:prod/a.b/app#agents-token", false, "without dots"},
		{"TENANT", "vault:prod/acme/app#agents-token@3", false, "another version"},
		{"TENANT", "vault:prod/acme/app", false, "another field"},
		{"TENANT", "vault:prod/acme/app2#agents-token", false, "the rest is literal"},
	}
	for _, tt := range tests {
		if _, got := policy.EnvGrant(tt.env, mustRef(t, tt.ref)); got != tt.want {
			t.Errorf("EnvGrant(%s, %s) = %v, want %v: %s", tt.env, tt.ref, got, tt.want, tt.reason)
		}
	}
	if _, ok := policy.EnvGrant("FIXED", secrets.Ref{}); ok {
		t.Error("the zero reference has a grant")
	}
}

func TestSecretOverdue(t *testing.T) {
	secret := mustParse(t, tenantPolicy).Secrets()[0] // review_by 2027-03-31
	tests := []struct {
		now     string
		overdue bool
		warning string
	}{
		{"2027-02-28T23:59:59Z", false, ""},
		{"2027-03-01T00:00:00Z", false, validation.RuleSecretReviewDue},
		{"2027-03-31T12:00:00Z", false, validation.RuleSecretReviewDue},
		{"2027-04-14T23:59:59Z", false, validation.RuleSecretReviewDue},
		{"2027-04-15T00:00:00Z", true, validation.RuleSecretReviewOverdue},
		{"2027-04-15T01:00:00+02:00", false, validation.RuleSecretReviewDue}, // days are UTC
	}
	for _, tt := range tests {
		now, err := time.Parse(time.RFC3339, tt.now)
		if err != nil {
			t.Fatal(err)
		}
		if got := secret.Overdue(now); got != tt.overdue {
			t.Errorf("at %s overdue is %v, want %v", tt.now, got, tt.overdue)
		}
		warnings := mustParse(t, tenantPolicy).Warnings(now)
		if tt.warning == "" {
			if len(warnings) != 0 {
				t.Errorf("at %s there are warnings: %v", tt.now, warnings)
			}
			continue
		}
		if len(warnings) != 2 || warnings[0].Rule != tt.warning || warnings[0].Path != "/secrets/fixed/review_by" {
			t.Errorf("at %s the warnings are %v, want two of rule %s", tt.now, warnings, tt.warning)
		}
	}
	if !(validation.Secret{}).Overdue(time.Time{}) {
		t.Error("a secret without a day is not overdue")
	}
}
