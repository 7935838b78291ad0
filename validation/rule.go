package validation

// The rule ids. They are stable: audit records, metrics, allow_literals and the
// documentation use them.
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
	Summary string // what it is for, one sentence
	Detail  string // "must ...", the text of its violations
	Fix     string // what to do about one
}

// Anchor returns where the documentation of the rule stands, as a path within
// the repository.
func (r RuleInfo) Anchor() string { return "docs/errors.md#" + r.ID }

// Rules returns the built-in rules in order of their ids.
func Rules() []RuleInfo { return nil }

// NewViolation returns the violation of the rule with that id at path, with the
// rule's own texts. An id that no rule has gives a violation that says so.
func NewViolation(rule, path string) Violation {
	return Violation{Path: path, Rule: rule}
}

// literalRules are the rules about text with the form of a credential: the only
// ones that allow_literals can lift at a place.
func literalRules() []string {
	return []string{
		RuleClientOptionCredential, RuleEnvLiteralCredential, RuleLiteralCredential, RuleMountCredential,
	}
}
