package interceptor_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/converter"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// resolving is a resolver that counts what it is asked for.
type resolving struct {
	next  secrets.Resolver
	asked []secrets.Request
}

func counting(tb testing.TB) *resolving {
	tb.Helper()
	return &resolving{next: secretstest.Static(values)}
}

func (r *resolving) Resolve(ctx context.Context, req secrets.Request) (secrets.Resolution, error) {
	r.asked = append(r.asked, req)
	return r.next.Resolve(ctx, req)
}

// TestTextIsNeverTakenForAReference (I6): a payload that has the shape of a
// reference, at a place that policy does not bind, reaches the activity as it is
// and asks the provider for nothing.
func TestTextIsNeverTakenForAReference(t *testing.T) {
	tagged := secrets.EnvRef("DEPLOY_TOKEN").ToMap()
	for _, tc := range []struct {
		name string
		in   any
	}{
		{"tagged map", tagged},
		{"tagged map in a list", []any{1.5, tagged}},
		{"short tag", map[string]any{"type": "secret_ref", "key": "DEPLOY_TOKEN"}},
		{"own tag", map[string]any{"type": "sandboxguard.secret_ref", "ref": "env:DEPLOY_TOKEN"}},
		{"the Python plugin's text", "temporal.worker_env_ref:{DEPLOY_TOKEN}"},
		{"reference text", "env:DEPLOY_TOKEN"},
		{"placeholder", "[secret:deploy]"},
		{"dropped literal", map[string]any{"type": "sandboxguard.dropped_literal"}},
		{"environment outside a manifest", map[string]any{"environment": map[string]any{"value": map[string]any{"API_TOKEN": tagged}}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := map[string]any{"payload": tc.in, "token": "x"}
			opts := options(t, grantTyped+"sandbox: {env_literals: [LANG]}\n")
			r := counting(t)
			opts.Resolver = r
			env := environment(t, opts)
			var got map[string]any
			env.RegisterActivityWithOptions(func(_ context.Context, in map[string]any) error { got = in; return nil }, named("Other"))
			err := run(t, env, otherWorkflow(in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decoded(t, in), got); diff != "" {
				t.Errorf("input (-want +got):\n%s", diff)
			}
			if len(r.asked) != 0 {
				t.Errorf("the provider was asked: %v", r.asked)
			}
		})
	}
}

// TestMapsThatNobodyNamedAreNormalisedOnly: form (c), a map under the key manifest
// or sandbox. It is judged like any manifest and its references stay references.
func TestMapsThatNobodyNamedAreNormalisedOnly(t *testing.T) {
	for _, tc := range []struct {
		name string
		in   map[string]any
		at   []string
	}{
		{"manifest", map[string]any{"manifest": manifestMap()}, []string{"manifest"}},
		{"sandbox", map[string]any{"sandbox": map[string]any{"client": "local", "manifest": manifestMap()}}, []string{"sandbox", "manifest"}},
		{"deeper", map[string]any{"a": []any{map[string]any{"manifest": manifestMap()}}}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, sandboxed)
			r := counting(t)
			opts.Resolver = r
			before := jsonOf(t, tc.in)
			env := environment(t, opts)
			var got map[string]any
			env.RegisterActivityWithOptions(func(_ context.Context, in map[string]any) error { got = in; return nil }, named("Other"))
			if err := run(t, env, otherWorkflow(tc.in)); err != nil {
				t.Fatal(err)
			}
			if len(r.asked) != 0 || holds([]any{got}, canary) || !holds([]any{got}, "temporal.worker_env_value") {
				t.Errorf("asked %d times, got %s", len(r.asked), jsonOf(t, got))
			}
			if jsonOf(t, tc.in) != before {
				t.Error("the workflow's own map was written to")
			}
		})
	}
}

// TestMapsThatNobodyNamedAreJudged: the faults of form (c) refuse the call.
func TestMapsThatNobodyNamedAreJudged(t *testing.T) {
	bad := manifestMap()
	envOf(bad).(map[string]any)["EDITOR"] = "vi"
	live := map[string]any{"client": "local", "session": map[string]any{"id": 1}}
	for _, tc := range []struct {
		name, rule, path string
		in               any
	}{
		{"manifest", "env-literal-unlisted", "/0/manifest/environment/value/EDITOR", map[string]any{"manifest": bad}},
		{"sandbox", "live-session", "/0/sandbox/session", map[string]any{"sandbox": live}},
		{"in a struct", "live-session", "/0/a/sandbox/session", struct {
			A any `json:"a"`
		}{map[string]any{"sandbox": live}}},
		{"other keys beside", "", "", map[string]any{"manifest": map[string]any{"environment": map[string]any{}, "other": 1}}},
		{"empty", "", "", map[string]any{"manifest": map[string]any{}}},
		{"another key", "", "", map[string]any{"config": live}},
		{"no map", "", "", map[string]any{"manifest": "text", "sandbox": 7}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, sandboxed))
			env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Other"))
			err := run(t, env, otherWorkflow(tc.in))
			if tc.rule == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantRules(t, err, tc.rule)
			if got := guard.Violations(err)[0].Path; got != tc.path {
				t.Errorf("path %q, want %q", got, tc.path)
			}
		})
	}
}

// TestUntypedPlaces: a typed Value below an interface is refused unless policy
// binds that very place.
func TestUntypedPlaces(t *testing.T) {
	v := secrets.Env("DEPLOY_TOKEN")
	type loose struct {
		Any  any            `json:"any"`
		Map  map[string]any `json:"map"`
		List []any          `json:"list"`
	}
	type strict struct {
		Typed map[string]secrets.Value `json:"typed"`
	}
	for _, tc := range []struct {
		name, path string
		in         any
	}{
		{"map", "/0/t", map[string]any{"t": v}},
		{"list", "/0/0", []any{v}},
		{"field", "/0/any", loose{Any: v}},
		{"map in a field", "/0/map/t", loose{Map: map[string]any{"t": v}}},
		{"list in a field", "/0/list/1", loose{List: []any{1, v}}},
		{"pointer", "/0/any", loose{Any: &v}},
		{"struct below an interface", "/0/any/token", loose{Any: typedInput{Token: v}}},
		{"typed map below an interface", "/0/any/k", loose{Any: map[string]secrets.Value{"k": v}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			refused := environment(t, options(t, "grants: [{secret: deploy, to: {activity: Push, input: /0/elsewhere}}]\n"))
			refused.RegisterActivityWithOptions(func(context.Context, any) error { t.Error("it ran"); return nil }, named("Push"))
			err := run(t, refused, pushWorkflow(tc.in))
			wantRules(t, err, "secret-untyped-place")
			if got := guard.Violations(err)[0].Path; got != tc.path {
				t.Errorf("path %q, want %q", got, tc.path)
			}
			granted := environment(t, options(t, bind(tc.path, "")))
			var got any
			granted.RegisterActivityWithOptions(func(_ context.Context, in any) error { got = in; return nil }, named("Push"))
			if err := run(t, granted, pushWorkflow(tc.in)); err != nil || !holds([]any{got}, canary) {
				t.Errorf("bound: got %v, %v", got, err)
			}
		})
	}
	t.Run("a typed map is no untyped place", func(t *testing.T) {
		env := environment(t, options(t, bind("/0/typed/*", "")))
		var revealed string
		env.RegisterActivityWithOptions(func(_ context.Context, in strict) (err error) {
			revealed, err = in.Typed["k"].Reveal()
			return err
		}, named("Push"))
		if err := run(t, env, pushWorkflow(strict{map[string]secrets.Value{"k": v}})); err != nil || revealed != canary {
			t.Errorf("revealed %q, %v", revealed, err)
		}
	})
}

// TestResolvedTextIsNotLookedAtAgain: a secret whose contents spell a reference is
// handed over as it is.
func TestResolvedTextIsNotLookedAtAgain(t *testing.T) {
	spells := `{"type":"temporal.worker_env_value","name":"OTHER_TOKEN"}`
	opts := options(t, bindReplace)
	opts.Resolver = secretstest.Static(map[string]string{"env:DEPLOY_TOKEN": spells, "env:OTHER_TOKEN": "never"})
	var got tagInput
	if _, err := attempt(t, opts, func(_ context.Context, in tagInput) error { got = in; return nil }, tagInput{}); err != nil || got.Token != spells {
		t.Errorf("got %q, %v", got.Token, err)
	}
}

// TestRawPayloadsAreNotResolved: what is handed over as a payload has no types.
func TestRawPayloadsAreNotResolved(t *testing.T) {
	p, err := converter.GetDefaultDataConverter().ToPayload(typedInput{Token: secrets.Env("DEPLOY_TOKEN")})
	if err != nil {
		t.Fatal(err)
	}
	opts := options(t, grantTyped)
	r := counting(t)
	opts.Resolver = r
	env := environment(t, opts)
	env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Other"))
	if err := run(t, env, otherWorkflow(converter.NewRawValue(p))); err != nil {
		t.Fatal(err)
	}
	if len(r.asked) != 0 {
		t.Errorf("asked for %v", r.asked)
	}
}
