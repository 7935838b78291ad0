package validation_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/validation"
)

// checkedRules are the rules that CheckManifest and CheckRunConfig can report,
// but for the rule syntax, which a decoded value cannot break.
var checkedRules = []string{
	validation.RuleClientOptionCredential,
	validation.RuleEntryHostPath,
	validation.RuleEntryKind,
	validation.RuleEntryPathEscape,
	validation.RuleEnvLiteralCredential,
	validation.RuleEnvLiteralUnlisted,
	validation.RuleHostPathGrant,
	validation.RuleLiteralInSecretField,
	validation.RuleManifestSize,
	validation.RuleMountCredential,
	validation.RuleNetworkMode,
	validation.RulePathGrantRelative,
	validation.RulePathGrantRoot,
	validation.RulePathGrantUnlisted,
	validation.RuleQueueUnlisted,
	validation.RuleSecretNotGranted,
}

func TestRuleTexts(t *testing.T) {
	rules := validation.Rules()
	if !slices.IsSortedFunc(rules, func(a, b validation.RuleInfo) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("rules are not in order")
	}
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for i, rule := range rules {
		if i > 0 && rules[i-1].ID == rule.ID {
			t.Errorf("rule %s is there twice", rule.ID)
		}
		if !kebab.MatchString(rule.ID) {
			t.Errorf("rule id %s is not kebab-case", rule.ID)
		}
		if !strings.HasPrefix(rule.Detail, "must ") || strings.HasSuffix(rule.Detail, ".") {
			t.Errorf("rule %s: the detail must begin with must and end without a full stop: %s", rule.ID, rule.Detail)
		}
		if rule.Fix == "" || strings.HasSuffix(rule.Fix, ".") || strings.Contains(rule.Fix, "\n") {
			t.Errorf("rule %s: the fix must be one line without a full stop: %s", rule.ID, rule.Fix)
		}
		if !strings.HasSuffix(rule.Summary, ".") {
			t.Errorf("rule %s: the summary must be a sentence: %s", rule.ID, rule.Summary)
		}
		if rule.Anchor() != "docs/errors.md#"+rule.ID {
			t.Errorf("rule %s is documented at %s", rule.ID, rule.Anchor())
		}
		v := validation.NewViolation(rule.ID, "/0")
		if v != (validation.Violation{Path: "/0", Rule: rule.ID, Detail: rule.Detail, Fix: rule.Fix}) {
			t.Errorf("rule %s has other texts in a violation: %+v", rule.ID, v)
		}
	}
	for _, rule := range checkedRules {
		if !slices.ContainsFunc(rules, func(r validation.RuleInfo) bool { return r.ID == rule }) {
			t.Errorf("rule %s is reported and not among Rules", rule)
		}
	}
	if v := validation.NewViolation("no-such-rule", ""); !strings.HasPrefix(v.Detail, "must ") {
		t.Errorf("an unknown rule gives %+v", v)
	}
}

// TestMessages holds every message of a rule against one golden file, so that a
// change of a text shows.
func TestMessages(t *testing.T) {
	violations := make([]validation.Violation, 0, 64)
	for _, rule := range validation.Rules() {
		violations = append(violations, validation.NewViolation(rule.ID, "/0"))
	}
	golden(t, "testdata/messages.txt", []byte(validation.NewError(violations).Error()+"\n"))
}

func TestErrorIsSorted(t *testing.T) {
	if err := validation.NewError(nil); err != nil {
		t.Errorf("no violations give %v", err)
	}
	a := validation.NewViolation(validation.RuleEntryKind, "/0/a")
	b := validation.NewViolation(validation.RuleEntryPathEscape, "/0/a")
	c := validation.NewViolation(validation.RuleEntryKind, "")
	in := []validation.Violation{b, a, c, a}
	got := validation.NewError(in).Error()
	want := c.String() + "\n" + a.String() + "\n" + b.String()
	if got != want {
		t.Errorf("the error is\n%s\nwant\n%s", got, want)
	}
	if !strings.HasPrefix(got, "(whole)  entry-kind  must ") {
		t.Errorf("the whole has no name: %s", got)
	}
	if in[0] != b {
		t.Error("the caller's slice was sorted")
	}
	if text := (&validation.Error{}).Error(); text == "" {
		t.Error("an empty error says nothing")
	}
}

// TestLiteralCredential holds the violation against the form of message that the
// policy reference promises.
func TestLiteralCredential(t *testing.T) {
	policy := mustPolicy(t, fullPolicy, "deploys")
	got := policy.LiteralCredential("PushTag", "/0/token", "GitHub token").String()
	want := `/0/token  literal-credential  must not hold a credential; this text has the form of a GitHub token
fix: pass secrets.Env("NAME"), or bind the field: queues.deploys.grants: {secret: NAME, to: {activity: PushTag, input: /0/token}, literal: replace}`
	if got != want {
		t.Errorf("the message is\n%s\nwant\n%s", got, want)
	}
	byDefault := mustPolicy(t, "version: 1\ndefault: {mode: report}\n", "x").LiteralCredential("A", "/0", "AWS access key")
	if !strings.Contains(byDefault.Detail, "of an AWS access key") || !strings.Contains(byDefault.Fix, " default.grants: ") {
		t.Errorf("the message of the default is %+v", byDefault)
	}
	for _, v := range []validation.Violation{
		policy.LiteralCredential("a name\nthat is none", "/0", ""),
		(validation.Policy{}).LiteralCredential("A", "/0", "PEM key"),
	} {
		if strings.Contains(v.String(), "none") || v.Rule != validation.RuleLiteralCredential || v.Fix == "" {
			t.Errorf("the message is %+v", v)
		}
	}
}

func TestFaultViolations(t *testing.T) {
	_, err := sandbox.DecodeManifest([]byte(`{"root": 7, "entrys": {}}`), sandbox.Strict)
	got, ok := validation.FaultViolations(err, "StartJob/0/manifest")
	if !ok || len(got) != 2 {
		t.Fatalf("the faults are %v, %v", got, ok)
	}
	for i, want := range []string{"/0/manifest/entrys " + validation.RuleUnknownKey, "/0/manifest/root " + validation.RuleWrongType} {
		if got[i].Path+" "+got[i].Rule != want || got[i].Fix == "" || !strings.HasPrefix(got[i].Detail, "must ") {
			t.Errorf("violation %d is %+v, want %s", i, got[i], want)
		}
	}
	if _, ok := validation.FaultViolations(nil, ""); ok {
		t.Error("no error has violations")
	}
}
