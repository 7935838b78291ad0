package interceptor

import (
	"errors"
	"slices"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/validation"
)

// A side is one of the policies that govern a call.
type side struct {
	policy validation.Policy
	queue  string
	listed bool
	// grants is true for the side whose worker would resolve.
	grants bool
	// found follows the policy's mode, noted is only ever reported, hard always
	// refuses: `literals` has a switch of its own.
	found, noted, hard []validation.Violation
}

// A verdict is what became of a call.
type verdict struct {
	call  call
	args  []any // to use instead of the call's
	sides []*side
	// guardData is true when the call carried a reference, a manifest or a run
	// config.
	guardData bool
	// met counts the values that a workflow's call holds, nil where there were none
	// or somebody else counts.
	met *redact.Holder
}

// refused returns the violations that stop the call, and the side they belong
// to; nil when it may go.
func (v verdict) refused() ([]validation.Violation, *side) {
	var all []validation.Violation
	var first *side
	for _, s := range v.sides {
		stops := s.hard
		if s.enforces() {
			stops = append(slices.Clone(s.hard), s.found...)
		}
		if len(stops) > 0 {
			all = append(all, stops...)
			if first == nil {
				first = s
			}
		}
	}
	return tidy(all), first
}

// reported returns what a side found and lets pass.
func (s *side) reported() []validation.Violation {
	all := slices.Clone(s.noted)
	if !s.enforces() {
		all = append(all, s.found...)
	}
	return tidy(all)
}

// outcome is that of a call that may go: reported when some policy would refuse
// it under another mode.
func (v verdict) outcome() audit.Outcome {
	for _, s := range v.sides {
		if len(s.reported()) > 0 {
			return audit.OutcomeReported
		}
	}
	return audit.OutcomeOK
}

// enforces is true unless the side's policy says report: an unlisted queue and a
// mode that nobody set deny.
func (s *side) enforces() bool { return !s.listed || s.policy.Mode() != validation.ModeReport }

func tidy(vs []validation.Violation) []validation.Violation {
	if len(vs) == 0 {
		return nil
	}
	var e *validation.Error
	if errors.As(validation.NewError(vs), &e) {
		return e.Violations
	}
	return nil
}

func (s *side) add(v ...validation.Violation) { s.found = append(s.found, v...) }
