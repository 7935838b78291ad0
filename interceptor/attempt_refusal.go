package interceptor

import (
	"slices"

	"github.com/sandboxguard/sandboxguard/validation"
)

// rights are the rules that refuse whatever the mode: report mode lets
// structural violations pass, never a secret.
var rights = []string{
	validation.RuleSecretNotGranted, validation.RuleSecretReviewOverdue, validation.RuleSecretScope,
	validation.RuleLiteralInSecretField, validation.RuleQueueUnlisted, validation.RuleDestinationNotFixed,
}

// refuse returns the error of a verdict that stops the attempt.
func (a *attempt) refuse(v verdict) error {
	vs, s := v.refused()
	for _, sd := range v.sides {
		for _, f := range sd.found {
			if slices.Contains(rights, f.Rule) && !slices.ContainsFunc(vs, func(o validation.Violation) bool { return o == f }) {
				vs = append(vs, f)
				if s == nil {
					s = sd
				}
			}
		}
	}
	if len(vs) == 0 {
		return nil
	}
	return a.refused(tidy(vs), s)
}

func (a *attempt) refused(vs []validation.Violation, s *side) error {
	if s == nil {
		s = &side{policy: a.policy, queue: a.queue, listed: a.listed}
	}
	countRefusals(a.metrics, a.queue, s.policy.Mode(), vs)
	subject := "activity " + a.info.ActivityType.Name + " on queue " + quote(a.queue) + " refused, it was not run"
	if a.asking {
		subject = a.notRun()
	}
	ref := refusalOf(subject, vs, s)
	a.deny(ref)
	errorType := ErrorTypePolicyViolation
	if slices.ContainsFunc(vs, func(v validation.Violation) bool {
		return v.Rule == validation.RuleSecretNotGranted || v.Rule == validation.RuleSecretReviewOverdue || v.Rule == validation.RuleSecretScope
	}) {
		errorType = ErrorTypeSecretNotGranted
	}
	return ref.err(errorType)
}

func (p *injection) problem(a *attempt) error {
	if len(p.violations) == 0 {
		return nil
	}
	return a.refused(tidy(p.violations), nil)
}
