package interceptor

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sandboxguard/sandboxguard/internal/mint"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/validation"
)

// resolveAll asks the provider once for each reference, after the audit sink
// took the record, and hides the value before anybody gets it.
func (a *attempt) resolveAll(ctx context.Context, p *injection) (map[secrets.Ref]secrets.Value, error) {
	if len(p.sites) == 0 {
		return nil, nil
	}
	values := make(map[secrets.Ref]secrets.Value, len(p.sites))
	for i := range p.sites {
		s := &p.sites[i]
		v, ok := values[s.ref]
		if !ok {
			var err error
			if v, err = a.resolve(ctx, s); err != nil {
				return nil, err
			}
			values[s.ref] = v
		}
		if text, err := v.Reveal(); err != nil || !fits(text, s.destination) {
			return nil, a.unresolved(s.ref, secrets.ErrInvalid)
		}
		if err := a.grantRecord(ctx, audit.ActionInject, s); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func (a *attempt) resolve(ctx context.Context, s *site) (secrets.Value, error) {
	if err := a.grantRecord(ctx, audit.ActionResolve, s); err != nil {
		return secrets.Value{}, err
	}
	scope := a.scope
	scope.Destination = s.destination
	res, err := a.g.resolver.Resolve(ctx, secrets.NewRequest(mint.Guard(), s.ref, scope))
	if err != nil {
		a.notResolved(s)
		if ctx.Err() != nil {
			return secrets.Value{}, ctx.Err()
		}
		if secrets.Retryable(err) {
			return secrets.Value{}, a.unavailable(s.ref.String())
		}
		return secrets.Value{}, a.unresolved(s.ref, err)
	}
	if err := a.hide(s.secret, s.ref, res); err != nil {
		return secrets.Value{}, a.tooShort(s.ref)
	}
	s.version = res.Info().Version
	if a.resolves == nil {
		a.resolves = a.metrics.WithTags(map[string]string{"queue": a.queue}).Counter(metricResolves)
	}
	a.resolves.Inc(1)
	return secrets.Resolved(mint.Guard(), s.ref, res), nil
}

// fits reports whether a value can stand at a destination: a variable of a
// process cannot hold every byte.
func fits(text, destination string) bool {
	return !strings.HasPrefix(destination, "env:") || utf8.ValidString(text) && !strings.ContainsRune(text, 0)
}

// hide registers a value under the name that its marker shows, as one that this
// attempt is given.
func (a *attempt) hide(name string, ref secrets.Ref, res secrets.Resolution) error {
	if name == "" {
		name = ref.String()
	}
	info, ends := res.Info(), time.Time{}
	if info.LeaseID != "" {
		ends = info.ExpiresAt
	}
	value := res.Reveal(mint.Guard())
	if err := a.g.give(a.holder, name, ref, value, ends); err != nil {
		return err
	}
	a.g.jobs.note(a.job, given{told: told{name, value}, ref: ref, ends: ends}, a.began)
	return nil
}

// give registers a value for a holder. ends is the end of its lease, if it has one. A
// value that was allowed to be short and cannot be told from ordinary text is not
// hidden; that is logged once.
func (g *guard) give(to *redact.Holder, name string, ref secrets.Ref, value string, ends time.Time) error {
	err := to.AddLeased(name, value, ends)
	if errors.Is(err, redact.ErrShort) && (g.allowShort[name] || g.allowShort[ref.String()]) {
		err = to.AddShort(name, value)
	}
	if errors.Is(err, redact.ErrCommon) {
		if g.ledger.first("common\x00" + name) {
			g.log.Warn("the value of a secret cannot be told from ordinary text and is not hidden: use a longer one, or take it out of Options.AllowShort",
				"secret", name, "ref", ref.String())
		}
		return nil
	}
	return err
}

// allow records that an attempt with guard data may run. One that is given
// secrets waits for the record, like every granting act; one that only carries a
// manifest may be a clean-up, which never waits.
func (a *attempt) allow(ctx context.Context, v verdict, grants bool) error {
	if !v.guardData && !grants || isDiscard(a.g.sink) {
		return nil
	}
	r := a.record(audit.ActionAllow, v.outcome())
	if !grants {
		a.g.trail.add(r)
		return nil
	}
	return a.write(ctx, r)
}

// write waits until the sink has taken a record of a granting act.
func (a *attempt) write(ctx context.Context, r audit.Record) error {
	err := a.scribe.write(ctx, r)
	if err != nil {
		return a.notRecorded()
	}
	return nil
}

// withScribe returns the attempt with a scribe of its own, for one who asks while the
// activity runs.
func (a *attempt) withScribe() *attempt {
	own := *a
	own.scribe = &scribe{sink: a.g.sink}
	return &own
}

// notResolved records that the provider did not give a value. It grants nothing,
// so nothing waits for it.
func (a *attempt) notResolved(s *site) {
	a.g.trail.add(a.secretRecord(audit.ActionResolve, audit.OutcomeFailed, s))
}

// secretRecord starts the record of an act on a secret.
func (a *attempt) secretRecord(action audit.Action, outcome audit.Outcome, s *site) audit.Record {
	r := a.record(action, outcome)
	r.Ref, r.Secret, r.Owner, r.Destination = s.ref.String(), s.secret, s.owner, s.destination
	return r
}

// grantRecord writes the record of a granting act before the act. When that
// fails the act does not happen, and is tried again.
func (a *attempt) grantRecord(ctx context.Context, action audit.Action, s *site) error {
	if isDiscard(a.g.sink) {
		return nil
	}
	return a.write(ctx, a.secretRecord(action, audit.OutcomeOK, s))
}

// withGetter lets the activity ask for a secret by itself, under the same rules.
func (a *attempt) withGetter(ctx context.Context) context.Context {
	asking := *a
	asking.asking = true
	a = &asking
	return secrets.WithGetter(mint.Guard(), ctx, func(ctx context.Context, ref secrets.Ref) (secrets.Value, error) {
		if a.over.Load() {
			// A context that outlived its attempt, perhaps in workflow code.
			return secrets.Value{}, &secrets.Error{Kind: secrets.ErrNoScope}
		}
		if a.inside != "" {
			return secrets.Value{}, a.insideErr()
		}
		var grant validation.Grant
		var granted secrets.Ref
		rule := validation.RuleQueueUnlisted
		if a.listed {
			grant, granted, rule = pickGrant(a.policy.AskGrants(a.scope.ActivityType), ref, a.refScope(), a.g.now())
		}
		if rule == "" && !a.mayUseSecrets() {
			rule = validation.RuleWorkflowUnlisted
		}
		if rule != "" {
			v := notGranted(rule, "", ref, a.policy, grant, a.scope.ActivityType, askedFor)
			return secrets.Value{}, a.refused([]validation.Violation{v}, nil)
		}
		a := a.withScribe()
		defer a.scribe.close()
		s := siteOf(&grant, granted, "get:"+a.scope.ActivityType)
		v, err := a.resolve(ctx, &s)
		if err != nil {
			return secrets.Value{}, err
		}
		if err := a.grantRecord(ctx, audit.ActionInject, &s); err != nil {
			return secrets.Value{}, err
		}
		return v, nil
	})
}
