package interceptor_test

import (
	"context"
	"encoding/json"
	"testing"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// TestMapInAListUnderTheKey: the elements of a list under "sandbox" are either not
// looked at or named by their own place.
func TestMapInAListUnderTheKey(t *testing.T) {
	live := map[string]any{"client": "local", "session": map[string]any{"id": 1}}
	env := environment(t, options(t, sandboxed))
	env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Other"))
	err := run(t, env, otherWorkflow(map[string]any{"sandbox": []any{live}}))
	for _, v := range guard.Violations(err) {
		if v.Path != "/0/sandbox/0/session" {
			t.Errorf("path %q", v.Path)
		}
	}
}

// timed has an encoding of its own and a secret in an exported field.
type timed struct {
	Token secrets.Value
}

func (x timed) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{"token": x.Token, "at": "now"})
}

func (x *timed) UnmarshalJSON(data []byte) error {
	var in struct {
		Token secrets.Value `json:"token"`
	}
	err := json.Unmarshal(data, &in)
	x.Token = in.Token
	return err
}

// TestValueInATypeThatEncodesItself: where the guard cannot tell the place of a
// Value, it refuses instead of letting it through unresolved and unjudged.
func TestValueInATypeThatEncodesItself(t *testing.T) {
	for _, tc := range []struct {
		name  string
		value secrets.Value
	}{{"granted", secrets.Env("DEPLOY_TOKEN")}, {"not granted", secrets.Env("OTHER_TOKEN")}} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, grantTyped))
			var got timed
			env.RegisterActivityWithOptions(func(_ context.Context, in timed) error { got = in; return nil }, named("Other"))
			err := run(t, env, otherWorkflow(timed{Token: tc.value}))
			if err == nil && !got.Token.Resolved() {
				t.Error("it ran with an unresolved secret")
			}
		})
	}
}
