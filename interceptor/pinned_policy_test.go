package interceptor_test

import (
	"context"
	"sync/atomic"
	"testing"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// alternating answers with another policy at every look.
type alternating struct {
	policies [2]*validation.Policies
	asked    atomic.Int64
}

func (a *alternating) PolicyFor(q guard.Queue) (validation.Policy, bool) {
	return a.policies[a.asked.Add(1)%2].PolicyFor(q)
}

// TestOneAttemptHasOnePolicy: a policy that is reloaded while an attempt is
// prepared must not let the attempt run half judged by the old one: it runs with
// its secret, or it does not run.
func TestOneAttemptHasOnePolicy(t *testing.T) {
	ran, refused := 0, 0
	opts := options(t, grantTyped)
	opts.TaskQueue = "" // or New would look, too
	opts.Policies = &alternating{policies: [2]*validation.Policies{queuePolicy(t, grantTyped), queuePolicy(t, "grants: []\n")}}
	for range 8 {
		_, err := attempt(t, opts, func(_ context.Context, in typedInput) error {
			if !in.Token.Resolved() {
				t.Error("it ran without its secret")
			}
			ran++
			return nil
		}, typedInput{Token: secrets.Env("DEPLOY_TOKEN")})
		if err != nil {
			wantRules(t, err, "secret-not-granted")
			refused++
		}
	}
	if ran == 0 || refused == 0 {
		t.Errorf("ran %d, refused %d: want some of both", ran, refused)
	}
}
