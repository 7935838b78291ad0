package validation_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/validation"
)

// TestRules holds the checks against a corpus: a policy with a queue "agents", a
// manifest or a run config as the argument 0 of the activity StartJob, and the
// violations. Files are named by rule and case.
func TestRules(t *testing.T) {
	allowed, denied := map[string]int{}, map[string]int{}
	for name, a := range corpus(t, "rules") {
		rule, _, _ := strings.Cut(name, "_")
		t.Run(name, func(t *testing.T) {
			violations := judge(t, a)
			reported := slices.ContainsFunc(violations, func(v validation.Violation) bool { return v.Rule == rule })
			if reported {
				denied[rule]++
			}
			if len(violations) == 0 {
				allowed[rule]++
			}
			if !reported && len(violations) > 0 {
				t.Errorf("%s breaks other rules than its own: %v", name, violations)
			}
			a.compare(t, describeViolations(violations))
		})
	}
	for _, rule := range checkedRules {
		if allowed[rule] == 0 || denied[rule] == 0 {
			t.Errorf("rule %s has %d allowed and %d denied examples, want at least one of each", rule, allowed[rule], denied[rule])
		}
	}
	for rule := range maps.Keys(denied) {
		if !slices.Contains(checkedRules, rule) {
			t.Errorf("rule %s is not among the checked ones", rule)
		}
	}
}

var repeated = regexp.MustCompile(`\{\{x ([0-9]+)\}\}`)

// judge decodes the value of an archive as a foreign payload is and checks it. In
// the value {{x 3}} stands for xxx.
func judge(t *testing.T, a *archive) []validation.Violation {
	t.Helper()
	policies, err := validation.ParsePolicies("policy.yaml", []byte(a.files["policy.yaml"]))
	if err != nil {
		t.Fatal(err)
	}
	policy, _ := policies.PolicyFor(validation.Queue{Name: "agents"})
	expand := func(name string) []byte {
		return []byte(repeated.ReplaceAllStringFunc(a.files[name], func(s string) string {
			n, _ := strconv.Atoi(repeated.FindStringSubmatch(s)[1])
			return strings.Repeat("x", n)
		}))
	}
	if _, ok := a.files["runconfig.json"]; ok {
		rc, err := sandbox.Decode[sandbox.RunConfig](expand("runconfig.json"), sandbox.Lenient)
		if err != nil {
			return faults(t, err)
		}
		return policy.CheckRunConfig(rc, "StartJob/0")
	}
	m, err := sandbox.DecodeManifest(expand("manifest.json"), sandbox.Lenient)
	if err != nil {
		return faults(t, err)
	}
	return policy.CheckManifest(m, "StartJob/0")
}

func faults(t *testing.T, err error) []validation.Violation {
	t.Helper()
	violations, ok := validation.FaultViolations(err, "StartJob/0")
	if !ok {
		t.Fatal(err)
	}
	return violations
}

func describeViolations(violations []validation.Violation) string {
	if len(violations) == 0 {
		return "allowed\n"
	}
	return validation.NewError(violations).Error() + "\n"
}
