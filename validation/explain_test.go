package validation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/validation"
)

func TestEnumerations(t *testing.T) {
	t.Parallel()
	policies, err := validation.ParsePolicies("policy.yaml", []byte(`
version: 1
secrets:
  one: {ref: "env:ONE", owner: o, reason: r, review_by: 2027-01-01}
  two: {ref: "env:TWO", owner: o, reason: r, review_by: 2027-01-01}
queues:
  agents:
    mode: enforce
    workflows: [Report]
    inputs: [{activity: Start, kind: manifest}]
    grants:
      - {secret: two, to: {env: Z}}
      - {secret: two, to: {env: A}}
      - {secret: one, to: {env: A}}
      - {secret: one, to: {activity: Push, input: /0/token}}
      - {secret: one, to: {activity: Ask}}
default: {mode: report}
`))
	if err != nil {
		t.Fatal(err)
	}
	agents, _ := policies.PolicyFor(validation.Queue{Name: "agents"})
	var envs []string
	for _, g := range agents.EnvGrants() {
		envs = append(envs, g.Env+" "+g.Secret.Name)
	}
	if diff := cmp.Diff([]string{"A two", "A one", "Z two"}, envs); diff != "" {
		t.Errorf("EnvGrants (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Ask", "Push", "Start"}, agents.Activities()); diff != "" {
		t.Errorf("Activities (-want +got):\n%s", diff)
	}
	if types, listed := agents.Workflows(); !listed || !cmp.Equal(types, []string{"Report"}) {
		t.Errorf("Workflows = %v, %v", types, listed)
	}
	rest, _ := policies.PolicyFor(validation.Queue{Name: "other"})
	if types, listed := rest.Workflows(); listed || types != nil || rest.Activities() != nil || rest.EnvGrants() != nil {
		t.Errorf("the default section lists %v, %v, %v, %v", types, listed, rest.Activities(), rest.EnvGrants())
	}
	var zero validation.Policy
	if types, listed := zero.Workflows(); !listed || types != nil || zero.Activities() != nil || zero.EnvGrants() != nil {
		t.Error("the zero Policy allows something")
	}
}
