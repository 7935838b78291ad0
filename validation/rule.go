package validation

import (
	"cmp"
	"slices"
	"strings"
)

// The ids of the rules of this package. They are stable: audit records, metrics,
// allow_literals and the documentation use them. The rules about the form of
// manifests and run configs have their constants in package sandbox.
const (
	RuleClientOptionCredential = "client-option-credential"
	RuleDestinationNotFixed    = "destination-not-fixed"
	RuleEntryHostPath          = "entry-host-path"
	RuleEntryKind              = "entry-kind"
	RuleEntryPathEscape        = "entry-path-escape"
	RuleEnvLiteralCredential   = "env-literal-credential"
	RuleEnvLiteralUnlisted     = "env-literal-unlisted"
	RuleHostPathGrant          = "host-path-grant"
	RuleInputMissing           = "input-missing"
	RuleLiteralCredential      = "literal-credential"
	RuleLiteralInSecretField   = "literal-in-secret-field"
	RuleLiveSession            = "live-session"
	RuleManifestSize           = "manifest-size"
	RuleMountCredential        = "mount-credential"
	RuleNetworkMode            = "network-mode"
	RulePathGrantRelative      = "path-grant-relative"
	RulePathGrantRoot          = "path-grant-root"
	RulePathGrantUnlisted      = "path-grant-unlisted"
	RuleQueueUnlisted          = "queue-unlisted"
	RuleSecretNotGranted       = "secret-not-granted"
	RuleSecretReviewDue        = "secret-review-due"
	RuleSecretReviewOverdue    = "secret-review-overdue"
	RuleSecretScope            = "secret-scope"
	RuleSecretUntypedPlace     = "secret-untyped-place"
	RuleUnknownKey             = "unknown-key"
	RuleWorkflowUnlisted       = "workflow-unlisted"
	RuleWrongType              = "wrong-type"
)

// RuleInfo describes a rule.
type RuleInfo struct {
	ID      string // kebab-case, stable
	Summary string // what it is about, one sentence
	Detail  string // "must ...", the text of its violations
	Fix     string // what to do about one
}

// Anchor returns where the documentation of the rule stands, as a path within
// the repository.
func (r RuleInfo) Anchor() string { return "docs/errors.md#" + r.ID }

// Rules returns every rule that a violation can name, in order of the ids.
func Rules() []RuleInfo {
	rules := slices.Concat(policyRules, formRules)
	slices.SortFunc(rules, func(a, b RuleInfo) int { return strings.Compare(a.ID, b.ID) })
	return rules
}

// NewViolation returns the violation of the rule with that id at path, with the
// rule's own texts. For an id that no rule has, the violation says just that: it
// is still one, so that nothing passes.
func NewViolation(rule, path string) Violation {
	info := ruleByID(rule)
	return Violation{Path: path, Rule: rule, Detail: info.Detail, Fix: info.Fix}
}

func ruleByID(id string) RuleInfo {
	for _, rules := range [][]RuleInfo{policyRules, formRules} {
		if i := slices.IndexFunc(rules, func(r RuleInfo) bool { return r.ID == id }); i >= 0 {
			return rules[i]
		}
	}
	return RuleInfo{ID: id, Detail: "must satisfy a rule that this version does not know"}
}

// withDetail returns v with its fixed text completed by another fixed text.
func (v Violation) withDetail(more string) Violation {
	v.Detail = cmp.Or(v.Detail, "must be refused") + "; " + more
	return v
}

// literalRules are the rules about text with the form of a credential: the only
// ones that allow_literals can lift at a place.
func literalRules() []string {
	return []string{
		RuleClientOptionCredential, RuleEnvLiteralCredential, RuleLiteralCredential, RuleMountCredential,
	}
}
