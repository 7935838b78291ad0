package validation

import "github.com/sandboxguard/sandboxguard/sandbox"

// variable checks one environment variable: a reference needs a grant to this
// variable, text needs to be listed and must not look like a credential.
func (c *checker) variable(name string, v *sandbox.EnvValue) {
	c.size += len(name) + len(v.Literal) + entryOverhead
	if v.Description != nil {
		c.size += len(*v.Description)
	}
	switch {
	case v.Secret.Literal():
		c.report(RuleLiteralInSecretField)
	case v.IsSecret():
		if _, granted := c.policy.EnvGrant(name, v.Secret.Ref()); !granted {
			c.notGranted()
		}
		if v.Literal != "" { // a value holds one of the two; readers would differ in which
			c.report(RuleEnvLiteralCredential)
		}
	default:
		c.literal(name, v.Literal)
	}
}

// literal checks a variable that holds text.
func (c *checker) literal(name, text string) {
	if text != "" && (LooksSecretName(name) || len(DetectNamed(name, text)) > 0) {
		c.report(RuleEnvLiteralCredential)
		return
	}
	if c.policy.queue.sandbox.envLiterals[name] || c.allowed(RuleEnvLiteralCredential) {
		return
	}
	c.report(RuleEnvLiteralUnlisted)
}

// notGranted reports a reference without a grant, with the line of policy that
// would be one.
func (c *checker) notGranted() {
	v := NewViolation(RuleSecretNotGranted, c.place())
	v.Fix = "grant it: " + c.policy.queue.section + ".grants: {secret: NAME, to: {env: " + c.trail.last().shown() + "}}"
	c.found = append(c.found, v)
}
