package interceptor_test

import (
	"context"
	"testing"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// sendTyped is an input that says where its secret is sent.
type sendTyped struct {
	URL   string        `json:"url"`
	Token secrets.Value `json:"token"`
}

// TestDestinationMustBeFixed: a grant to an activity that takes its destination
// from the payload would let the payload send the secret anywhere.
func TestDestinationMustBeFixed(t *testing.T) {
	token := secrets.Env("DEPLOY_TOKEN")
	type nested struct {
		Token  secrets.Value `json:"token"`
		Target struct {
			Endpoints []string `json:"endpoints"`
		} `json:"target"`
		Headers map[string]string `json:"headers"`
	}
	deep := nested{Token: token}
	deep.Target.Endpoints = []string{"https://evil.example"}
	for _, tc := range []struct {
		name, more string
		in         any
		refused    bool
	}{
		{name: "URL beside it", in: sendTyped{URL: "https://evil.example", Token: token}, refused: true},
		{name: "URL without text", in: sendTyped{Token: token}},
		{name: "stated as fixed", more: ", destination_fixed: true", in: sendTyped{URL: "https://evil.example", Token: token}},
		{name: "stated as not fixed", more: ", destination_fixed: false", in: sendTyped{URL: "https://evil.example", Token: token}, refused: true},
		{name: "nested list", in: deep, refused: true},
		{name: "map key", in: nested{Token: token, Headers: map[string]string{"Host": "evil.example"}}, refused: true},
		{name: "another field", in: nested{Token: token, Headers: map[string]string{"accept": "text/plain"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, bind("/0/token", tc.more)))
			env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Push"))
			err := run(t, env, pushWorkflow(tc.in))
			if tc.refused {
				wantRules(t, err, "destination-not-fixed")
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDestinationWithoutASecret: a typed field that names no secret gets none, so
// nothing is sent anywhere.
func TestDestinationWithoutASecret(t *testing.T) {
	if _, err := attempt(t, options(t, grantTyped), func(context.Context, sendTyped) error { return nil }, sendTyped{URL: "https://a.example"}); err != nil {
		t.Error(err)
	}
}

// TestDestinationIsCheckedByTheWorkerToo: the starter may be no Go program.
func TestDestinationIsCheckedByTheWorkerToo(t *testing.T) {
	_, err := attempt(t, options(t, grantTyped), func(context.Context, sendTyped) error {
		t.Error("it ran")
		return nil
	}, sendTyped{URL: "https://evil.example", Token: secrets.Env("DEPLOY_TOKEN")})
	wantRules(t, err, "destination-not-fixed")
}
