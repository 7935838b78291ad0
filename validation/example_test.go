package validation_test

import (
	"fmt"
	"time"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

const examplePolicy = `
version: 1
secrets:
  reports-api: {ref: "env:REPORTS_API_TOKEN", owner: data-platform, reason: reference table, review_by: 2027-03-31}
queues:
  agents:
    mode: enforce
    sandbox:
      entries: [file, dir]
      env_literals: [REPORT_WEEK]
    grants:
      - {secret: reports-api, to: {env: REPORTS_TOKEN}}
default: {mode: report}
`

func ExampleParsePolicies() {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(examplePolicy))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, queue := range []string{"agents", "deploys"} {
		policy, ok := policies.PolicyFor(validation.Queue{Namespace: "prod", Name: queue})
		fmt.Println(queue, ok, policy.Entry(), policy.Mode())
	}
	// Output:
	// agents true agents enforce
	// deploys true default report
}

// All problems of a file are reported at once, with their places and the nearest
// known name. Keys of later versions are told apart from typing errors.
func ExampleParsePolicies_problems() {
	_, err := validation.ParsePolicies("policy.yaml", []byte(`version: 1
queues:
  agents:
    mode: enforce
    litterals: report
    snapshots: {allow: true}
    grants:
      - {secret: reports-api, to: {env: REPORTS_TOKEN}}
`))
	fmt.Println(err)
	// Output:
	// validation: policy file policy.yaml not loaded: 3 problems
	//   policy.yaml:5:5: queues.agents.litterals: is not a known key; the nearest is "literals"
	//   policy.yaml:6:5: queues.agents.snapshots: is not in this version: it comes with snapshots
	//   policy.yaml:8:18: queues.agents.grants[0].secret: must name a key of secrets; there is none
}

func ExamplePolicy_CheckManifest() {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(examplePolicy))
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, _ := policies.PolicyFor(validation.Queue{Name: "agents"})
	manifest := sandbox.Manifest{
		Entries: map[string]sandbox.Entry{"shadow": {Type: sandbox.EntryLocalFile, Src: "/etc/shadow"}},
		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
			"REPORT_WEEK":   sandbox.EnvLiteral("2027-W13"),
			"REPORTS_TOKEN": sandbox.EnvSecret(secrets.Env("REPORTS_API_TOKEN")),
			"OTHER_TOKEN":   sandbox.EnvSecret(secrets.Env("REPORTS_API_TOKEN")),
		}},
	}
	for _, v := range policy.CheckManifest(manifest, "StartJob/0/manifest") {
		fmt.Println(v.Path, v.Rule)
	}
	// Output:
	// /0/manifest/entries/shadow/src entry-host-path
	// /0/manifest/entries/shadow/type entry-kind
	// /0/manifest/environment/value/OTHER_TOKEN secret-not-granted
}

func ExampleNewError() {
	err := validation.NewError([]validation.Violation{
		validation.NewViolation(validation.RuleHostPathGrant, "/0/extra_path_grants/0"),
	})
	fmt.Println(err)
	// Output:
	// /0/extra_path_grants/0  host-path-grant  must not have a host_path: what it binds would be chosen by the workflow and not by the worker
	// fix: leave host_path out; the worker decides what stands behind a granted path
}

// References may hold placeholders that each run fills by itself.
func ExampleSecret_RefFor() {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(`
version: 1
secrets:
  tenant-api: {ref: "vault:kv/{tenant}/api#token", owner: data, reason: the tenant's own API, review_by: 2027-03-31}
queues:
  agents:
    mode: enforce
    workflow_id: "^(?P<tenant>[a-z0-9-]+)-job-.*$"
    grants:
      - {secret: tenant-api, to: {activity: Fetch, input: /0/token}}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	policy, _ := policies.PolicyFor(validation.Queue{Name: "agents"})
	secret := policy.InputGrants("Fetch")[0].Secret
	for _, id := range []string{"acme-job-7", "nightly"} {
		ref, err := secret.RefFor(validation.RefScope{Namespace: "prod", TaskQueue: "agents", WorkflowID: id})
		fmt.Println(ref, err != nil)
	}
	// Output:
	// vault:kv/acme/api#token false
	//  true
}

func ExamplePolicies_Warnings() {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(examplePolicy))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, day := range []string{"2027-01-15", "2027-03-15", "2027-04-20"} {
		now, err := time.Parse(time.DateOnly, day)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, v := range policies.Warnings(now) {
			fmt.Println(day, v.Path, v.Rule)
		}
	}
	// Output:
	// 2027-03-15 /secrets/reports-api/review_by secret-review-due
	// 2027-04-20 /secrets/reports-api/review_by secret-review-overdue
}
