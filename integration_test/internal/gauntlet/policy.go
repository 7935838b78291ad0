package gauntlet

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// The policies that the gauntlet is run under.
const (
	// Open lets everything pass and grants the secret.
	Open = secretsSection + `default:
  mode: report
  literals: off
  grants:
    - {secret: deploy, to: {activity: UseTool, input: /0/token}}
`
	// Closed refuses everything that can be refused, and names the run config.
	Closed = secretsSection + `default:
  mode: enforce
  literals: enforce
  inputs:
    - {activity: StartJob, argument: 0, path: /config, kind: run_config}
`
)

const secretsSection = `version: 1
secrets:
  deploy: {ref: "env:DEPLOY_TOKEN", owner: release-eng, reason: push the release tag, review_by: 2099-01-01}
`

// Secret is the reference that the gauntlet uses.
var Secret = secrets.EnvRef("DEPLOY_TOKEN")

// Credential has the form of a credential and opens nothing.
const Credential = "ghp_" + "0therL1teralThat0pensNothingAtAll007"

// Full is a plan in which every call carries something to be refused.
func Full() Plan {
	return Plan{Text: Credential, HostPath: "/srv/reference", Secret: secrets.From(Secret), Fan: 3, Rounds: 1, Wait: true}
}

// Resolver resolves Secret to a value, and nothing else.
func Resolver(value string) secrets.Resolver {
	return secrets.ResolverFunc(func(_ context.Context, r secrets.Request) (secrets.Resolution, error) {
		if r.Ref != Secret {
			return secrets.Resolution{}, secrets.ErrNotFound
		}
		return secrets.NewResolution(value, secrets.ResolutionInfo{}), nil
	})
}

// Source is a policy source that chooses between two policies each time it is
// asked, so that the guard has nothing to rely on but what it recorded.
type Source struct {
	open, closed *validation.Policies
	choose       func() bool
}

var _ guard.PolicySource = (*Source)(nil)

// PolicyFor answers with the policy of one of the two files.
func (s *Source) PolicyFor(q guard.Queue) (validation.Policy, bool) {
	if s.choose() {
		return s.closed.PolicyFor(q)
	}
	return s.open.PolicyFor(q)
}

// Dice returns a source that chooses Closed at random, with probability p.
func Dice(p float64) (*Source, error) {
	return source(func() bool { return rand.Float64() < p })
}

// EveryOther returns a source that takes turns.
func EveryOther() (*Source, error) {
	var turns atomic.Int64
	return source(func() bool { return turns.Add(1)%2 == 0 })
}

func source(choose func() bool) (*Source, error) {
	open, err := validation.ParsePolicies("open.yaml", []byte(Open))
	if err != nil {
		return nil, err
	}
	closed, err := validation.ParsePolicies("closed.yaml", []byte(Closed))
	if err != nil {
		return nil, err
	}
	return &Source{open: open, closed: closed, choose: choose}, nil
}
