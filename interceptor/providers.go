package interceptor

import (
	"errors"
	"maps"
	"slices"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// providersOf returns the providers of a resolver that tells, nil for one of the
// user's own.
func providersOf(r secrets.Resolver) secrets.Providers {
	p, _ := r.(secrets.Providers)
	return p
}

// withoutProvider finds what the policy grants and no attempt could ever resolve,
// since the worker does not have the provider: secrets by provider. runs tells which
// activities the worker has.
func (g *guard) withoutProvider(p validation.Policy, runs func(activity string) bool) map[string][]string {
	without := map[string][]string{}
	if g.providers == nil {
		return without
	}
	need := func(ref secrets.Ref, name string) {
		if g.providers[ref.Provider] == nil && !slices.Contains(without[ref.Provider], name) {
			without[ref.Provider] = append(without[ref.Provider], name)
		}
	}
	for _, grant := range p.EnvGrants() {
		need(grant.Secret.Ref, grant.Secret.Name)
	}
	for _, activity := range p.Activities() {
		if !runs(activity) {
			continue
		}
		for _, grant := range slices.Concat(p.InputGrants(activity), p.AskGrants(activity)) {
			need(grant.Secret.Ref, grant.Secret.Name)
		}
	}
	for _, ref := range p.RedactRefs() {
		need(ref, ref.String())
	}
	return without
}

// errNoProvider is the message of a worker that could not resolve what its policy
// grants.
func (g *guard) errNoProvider(queue string, p validation.Policy, without map[string][]string) error {
	has := slices.DeleteFunc(slices.Sorted(maps.Keys(g.providers)), func(name string) bool { return g.providers[name] == nil })
	if len(has) == 0 {
		has = []string{"none"}
	}
	return errors.New("sandboxguard: worker for task queue " + quote(queue) + " not started: it does not have the provider of what the policy grants\n" +
		"  without a provider: " + describeProviders(without) + "\n" +
		"  the worker has: " + joinNames(has) + "\n" +
		"  fix: " + fixProviders(p))
}

func describeProviders(without map[string][]string) string {
	var all []string
	for _, provider := range slices.Sorted(maps.Keys(without)) {
		all = append(all, provider+" ("+someOf(without[provider])+")")
	}
	return joinNames(all)
}

func fixProviders(p validation.Policy) string {
	return "add the provider to the secrets.Providers of Options.Resolver, or take the secrets out of " + entryKey(p)
}
