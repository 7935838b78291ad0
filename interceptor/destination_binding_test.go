package interceptor_test

import (
	"context"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets"
)

type sendBound struct {
	URL   string `json:"url"`
	Token string `json:"token"`
}

// TestBoundTextNeedsAFixedDestination: what holds for a secret that the workflow
// names holds for one that the policy binds.
func TestBoundTextNeedsAFixedDestination(t *testing.T) {
	for _, literal := range []string{"refuse", "replace", "strip"} {
		t.Run(literal, func(t *testing.T) {
			_, err := attempt(t, options(t, bind("/0/token", ", literal: "+literal)), func(context.Context, sendBound) error {
				t.Error("it ran")
				return nil
			}, sendBound{URL: "https://evil.example"})
			wantRules(t, err, "destination-not-fixed")
		})
	}
	t.Run("stated as fixed", func(t *testing.T) {
		var got sendBound
		_, err := attempt(t, options(t, bind("/0/token", ", destination_fixed: true")), func(_ context.Context, in sendBound) error { got = in; return nil },
			sendBound{URL: "https://a.example"})
		if err != nil || got.Token != canary {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

// TestDestinationIsCheckedWithLiteralsOff: whether credential-looking text is
// reported has nothing to do with it.
func TestDestinationIsCheckedWithLiteralsOff(t *testing.T) {
	_, err := attempt(t, options(t, "literals: off\n"+grantTyped), func(context.Context, sendTyped) error {
		t.Error("it ran")
		return nil
	}, sendTyped{URL: "https://evil.example", Token: secrets.Env("DEPLOY_TOKEN")})
	wantRules(t, err, "destination-not-fixed")
}

// TestDestinationInReportMode: report mode resolves nothing that policy does not
// grant, and without a fixed destination the grant does not hold.
func TestDestinationInReportMode(t *testing.T) {
	opts := options(t, "")
	opts.Policies = policies(t, "queues:\n  "+testQueue+":\n    mode: report\n    "+grantTyped)
	_, err := attempt(t, opts, func(context.Context, sendTyped) error {
		t.Error("it ran")
		return nil
	}, sendTyped{URL: "https://evil.example", Token: secrets.Env("DEPLOY_TOKEN")})
	wantRules(t, err, "destination-not-fixed")
}
