package interceptor

import (
	"time"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// placeholder is what stands in history where `literal: strip` took a literal
// away: the secret's name, in a form that no service takes for a credential.
func placeholder(secret string) string { return "[secret:" + secret + "]" }

func violation(rule, path string) validation.Violation { return validation.NewViolation(rule, path) }

// grantsAt returns the grants of an activity whose input is the place.
func grantsAt(p validation.Policy, activity string, at place) []validation.Grant {
	all := p.InputGrants(activity)
	if len(all) == 0 {
		return nil
	}
	var out []validation.Grant
	for i := range all {
		if at.matches(all[i].Input) {
			out = append(out, all[i])
		}
	}
	return out
}

// pickGrant finds the grant that lets ref stand where the candidates apply, and
// the reference that is resolved for this run: where the secret's reference has
// placeholders, workflow code may name it with or without them. rule is empty
// when there is a grant.
func pickGrant(candidates []validation.Grant, ref secrets.Ref, scope validation.RefScope, now time.Time) (grant validation.Grant, granted secrets.Ref, rule string) {
	for i := range candidates {
		if granted, rule = grantedRef(&candidates[i], ref, scope, now); rule != validation.RuleSecretNotGranted {
			return candidates[i], granted, rule
		}
	}
	return validation.Grant{}, secrets.Ref{}, validation.RuleSecretNotGranted
}

// grantedRef is pickGrant for one candidate.
func grantedRef(c *validation.Grant, ref secrets.Ref, scope validation.RefScope, now time.Time) (granted secrets.Ref, rule string) {
	granted, err := c.Secret.RefFor(scope)
	switch {
	case err != nil && ref == c.Secret.Ref:
		return secrets.Ref{}, validation.RuleSecretScope
	case err != nil, ref != granted && ref != c.Secret.Ref:
		return secrets.Ref{}, validation.RuleSecretNotGranted
	case c.Secret.Overdue(now):
		return secrets.Ref{}, validation.RuleSecretReviewOverdue
	}
	return granted, ""
}

// envGrant finds the grant that lets ref stand in a sandbox's variable.
func envGrant(p validation.Policy, env string, ref secrets.Ref, scope validation.RefScope, now time.Time) (validation.Grant, secrets.Ref, string) {
	grant, ok := p.EnvGrant(env, ref)
	if !ok {
		return grant, secrets.Ref{}, validation.RuleSecretNotGranted
	}
	granted, rule := grantedRef(&grant, ref, scope, now)
	if rule == validation.RuleSecretNotGranted {
		grant = validation.Grant{}
	}
	return grant, granted, rule
}

// askedFor stands for the place of a secret that an activity asks for itself.
const askedFor = ""

// notGranted is the violation of a reference that policy does not grant, with
// the line of policy that would.
func notGranted(rule, at string, ref secrets.Ref, p validation.Policy, grant validation.Grant, to, where string) validation.Violation {
	v := violation(rule, at)
	if rule != validation.RuleSecretNotGranted {
		if grant.Secret.Name != "" {
			v.Fix = "review secrets." + grant.Secret.Name + " and move its review_by"
		}
		return v
	}
	// A reference is a name, and says which of several secrets is meant.
	if ref.Validate() == nil {
		v.Detail += "; " + ref.String() + " is not granted to it"
	}
	switch {
	case where == askedFor:
		v.Fix = "grant it: " + entryKey(p) + ".grants: {secret: NAME, to: {activity: " + to + "}}"
	case to == "env":
		v.Fix = "grant it: " + entryKey(p) + ".grants: {secret: NAME, to: {env: " + where + "}}"
	default:
		v.Fix = "grant it: " + entryKey(p) + ".grants: {secret: NAME, to: {activity: " + to + ", input: " + where + "}}"
	}
	return v
}

func entryKey(p validation.Policy) string {
	if p.Entry() == "default" || p.Entry() == "" {
		return "default"
	}
	return "queues." + p.Entry()
}
