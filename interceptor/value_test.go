package interceptor_test

import (
	"context"
	"encoding/json"
	"testing"

	"go.temporal.io/sdk/converter"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

type leaf struct {
	Token secrets.Value `json:"token"`
	Note  string        `json:"note,omitempty"`
}

// Shared is embedded, by value and by pointer.
type Shared struct {
	Shared secrets.Value `json:"shared"`
}

// named is a struct below every kind of holder that keeps its types.
type typed struct {
	Token   secrets.Value            `json:"token"`
	Nested  leaf                     `json:"nested"`
	Pointer *leaf                    `json:"pointer,omitempty"`
	List    []leaf                   `json:"list,omitempty"`
	Array   [2]secrets.Value         `json:"array"`
	Map     map[string]leaf          `json:"map,omitempty"`
	Values  map[string]secrets.Value `json:"values,omitempty"`
	Deep    map[string][]*leaf       `json:"deep,omitempty"`
	*Shared
	Renamed secrets.Value `json:"weird name/~x"`
	Bare    secrets.Value
	Skipped secrets.Value `json:"-"`
}

// TestValuesInEveryTypedPlace: a granted reference is resolved wherever its static
// type says what it is, and nothing of the workflow's own objects is.
func TestValuesInEveryTypedPlace(t *testing.T) {
	v := secrets.Env("DEPLOY_TOKEN")
	for _, tc := range []struct {
		name, at string
		in       any
		from     func(typed) secrets.Value
	}{
		{"field", "/0/token", typed{Token: v}, func(x typed) secrets.Value { return x.Token }},
		{"pointer argument", "/0/token", &typed{Token: v}, func(x typed) secrets.Value { return x.Token }},
		{"nested", "/0/nested/token", typed{Nested: leaf{Token: v}}, func(x typed) secrets.Value { return x.Nested.Token }},
		{"below a pointer", "/0/pointer/token", typed{Pointer: &leaf{Token: v}}, func(x typed) secrets.Value { return x.Pointer.Token }},
		{"list", "/0/list/1/token", typed{List: []leaf{{}, {Token: v}}}, func(x typed) secrets.Value { return x.List[1].Token }},
		{"any list element", "/0/list/*/token", typed{List: []leaf{{}, {Token: v}}}, func(x typed) secrets.Value { return x.List[1].Token }},
		{"array", "/0/array/1", typed{Array: [2]secrets.Value{{}, v}}, func(x typed) secrets.Value { return x.Array[1] }},
		{"map", "/0/map/k/token", typed{Map: map[string]leaf{"k": {Token: v}}}, func(x typed) secrets.Value { return x.Map["k"].Token }},
		{"map of values", "/0/values/k", typed{Values: map[string]secrets.Value{"k": v}}, func(x typed) secrets.Value { return x.Values["k"] }},
		{"any map value", "/0/values/*", typed{Values: map[string]secrets.Value{"k": v}}, func(x typed) secrets.Value { return x.Values["k"] }},
		{"deep", "/0/deep/k/0/token", typed{Deep: map[string][]*leaf{"k": {{Token: v}}}}, func(x typed) secrets.Value { return x.Deep["k"][0].Token }},
		{"embedded pointer", "/0/shared", typed{Shared: &Shared{Shared: v}}, func(x typed) secrets.Value { return x.Shared.Shared }},
		{"name that needs escaping", "/0/weird name~1~0x", typed{Renamed: v}, func(x typed) secrets.Value { return x.Renamed }},
		{"without a tag", "/0/Bare", typed{Bare: v}, func(x typed) secrets.Value { return x.Bare }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, bind(`"`+tc.at+`"`, "")))
			var revealed string
			env.RegisterActivityWithOptions(func(_ context.Context, in typed) (err error) {
				revealed, err = tc.from(in).Reveal()
				return err
			}, named("Push"))
			if err := run(t, env, pushWorkflow(tc.in)); err != nil || revealed != canary {
				t.Errorf("revealed %q, %v", revealed, err)
			}
			held, ok := tc.in.(typed)
			if !ok {
				held = *tc.in.(*typed)
			}
			if tc.from(held).Resolved() {
				t.Error("the workflow's own object holds the value")
			}
			elsewhere := environment(t, options(t, bind("/0/elsewhere", "")))
			elsewhere.RegisterActivityWithOptions(func(context.Context, typed) error { t.Error("it ran"); return nil }, named("Push"))
			wantRules(t, run(t, elsewhere, pushWorkflow(tc.in)), "secret-not-granted")
		})
	}
}

// TestValueAsAnArgument: the whole argument may be the secret.
func TestValueAsAnArgument(t *testing.T) {
	env := environment(t, options(t, bind("/1", "")))
	var revealed string
	env.RegisterActivityWithOptions(func(_ context.Context, _ string, v secrets.Value) (err error) {
		revealed, err = v.Reveal()
		return err
	}, named("Push"))
	if err := run(t, env, pushAll("a", secrets.Env("DEPLOY_TOKEN"))); err != nil || revealed != canary {
		t.Errorf("revealed %q, %v", revealed, err)
	}
}

// TestFieldThatIsNotEncodedIsNobodysBusiness: json:"-" never leaves.
func TestFieldThatIsNotEncodedIsNobodysBusiness(t *testing.T) {
	env := environment(t, options(t, ""))
	var got typed
	env.RegisterActivityWithOptions(func(_ context.Context, in typed) error { got = in; return nil }, named("Push"))
	if err := run(t, env, pushWorkflow(typed{Skipped: secrets.Env("DEPLOY_TOKEN")})); err != nil || !got.Skipped.IsZero() {
		t.Errorf("got %v, %v", got.Skipped, err)
	}
}

// TestZeroValuesAreAbsent: no secret is asked for when none is named.
func TestZeroValuesAreAbsent(t *testing.T) {
	opts := options(t, grantTyped)
	r := counting(t)
	opts.Resolver = r
	var got typedInput
	if _, err := attempt(t, opts, func(_ context.Context, in typedInput) error { got = in; return nil }, typedInput{Repo: "r"}); err != nil {
		t.Fatal(err)
	}
	if !got.Token.IsZero() || len(r.asked) != 0 || len(opts.Audit.(*memorySink).records) != 0 {
		t.Errorf("got %v, asked %d times", got.Token, len(r.asked))
	}
}

// TestLiteralWhereAReferenceBelongs: in runs that began when the field was a
// string, history holds text. It is dropped at decoding, and becomes the reference
// that a binding names for the place; without one the attempt ends.
func TestLiteralWhereAReferenceBelongs(t *testing.T) {
	old := tagInput{Repo: "r", Token: "old-token-0a1b2c3d"}
	for _, tc := range []struct {
		name, entry, rule string
	}{
		{"bound", grantTyped, ""},
		{"bound to replace", bindReplace, ""},
		{"not bound", "", "literal-in-secret-field"},
		{"in report mode, not bound", "report", "literal-in-secret-field"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, "")
			if tc.entry == "report" {
				opts.Policies = policies(t, "queues:\n  "+testQueue+":\n    mode: report\n")
			} else {
				opts.Policies = queuePolicy(t, tc.entry)
			}
			var revealed string
			_, err := attempt(t, opts, func(_ context.Context, in typedInput) (err error) {
				revealed, err = in.Token.Reveal()
				return err
			}, old)
			if tc.rule != "" {
				wantRules(t, err, tc.rule)
				return
			}
			if err != nil || revealed != canary {
				t.Errorf("revealed %q, %v", revealed, err)
			}
		})
	}
}

// TestOneSecretForSeveralPlaces: the provider is asked once, every place is
// recorded.
func TestOneSecretForSeveralPlaces(t *testing.T) {
	opts := options(t, "grants:\n- {secret: deploy, to: {activity: Push, input: /0/list/*/token}}\n- {secret: other, to: {activity: Push, input: /0/token}}\n")
	r := counting(t)
	opts.Resolver = r
	v := secrets.Env("DEPLOY_TOKEN")
	in := typed{Token: secrets.Env("OTHER_TOKEN"), List: []leaf{{Token: v}, {Token: v}}}
	var all []string
	if _, err := attempt(t, opts, func(_ context.Context, in typed) error {
		for _, v := range []secrets.Value{in.Token, in.List[0].Token, in.List[1].Token} {
			text, err := v.Reveal()
			if err != nil {
				return err
			}
			all = append(all, text)
		}
		return nil
	}, in); err != nil {
		t.Fatal(err)
	}
	if len(all) != 3 || all[0] != values["env:OTHER_TOKEN"] || all[1] != canary || all[2] != canary {
		t.Errorf("revealed %v", all)
	}
	sink := opts.Audit.(*memorySink)
	if len(r.asked) != 2 || len(sink.only(audit.ActionResolve)) != 2 || len(sink.only(audit.ActionInject)) != 3 {
		t.Errorf("asked %d times, audit %v", len(r.asked), sink.actions())
	}
}

// TestScopeOfARequest: what a resolver is told comes from the attempt, never from
// its payload.
func TestScopeOfARequest(t *testing.T) {
	opts := options(t, grantTyped)
	r := counting(t)
	opts.Resolver = r
	env := environment(t, opts)
	env.RegisterActivityWithOptions(func(context.Context, typedInput) error { return nil }, named("Push"))
	if err := run(t, env, pushWorkflow(typedInput{Token: secrets.Env("DEPLOY_TOKEN")})); err != nil {
		t.Fatal(err)
	}
	if len(r.asked) != 1 || !r.asked[0].Minted() {
		t.Fatalf("asked %d times", len(r.asked))
	}
	s := r.asked[0].Scope
	if s.TaskQueue != testQueue || s.ActivityType != "Push" || s.WorkflowID != "default-test-workflow-id" || s.WorkflowType == "" ||
		s.Attempt != 1 || s.Local || s.Standalone || s.Destination != "activity:Push/0/token" || s.Namespace != "default-test-namespace" {
		t.Errorf("scope %+v", s)
	}
}

// TestResultHoldsTheReferenceAgain: a Value that an activity returns is recorded as
// its name.
func TestResultHoldsTheReferenceAgain(t *testing.T) {
	v, err := attempt(t, options(t, grantTyped), func(_ context.Context, in typedInput) (typedInput, error) { return in, nil },
		typedInput{Token: secrets.Env("DEPLOY_TOKEN")})
	if err != nil {
		t.Fatal(err)
	}
	var raw converter.RawValue
	if err := v.Get(&raw); err != nil {
		t.Fatal(err)
	}
	secretstest.AssertAbsent(t, []string{canary}, raw.Payload().GetData())
	var out typedInput
	if json.Unmarshal(raw.Payload().GetData(), &out) != nil || out.Token.Ref() != secrets.EnvRef("DEPLOY_TOKEN") {
		t.Errorf("recorded %s", raw.Payload().GetData())
	}
}

// TestTemplatesAreFilledFromTheRun: tenants, whose reference is never chosen by a
// payload.
func TestTemplatesAreFilledFromTheRun(t *testing.T) {
	const file = `version: 1
secrets:
  tenant: {ref: "vault:{namespace}/{tenant}#token", owner: o, reason: r, review_by: 2099-01-01}
queues:
  ` + testQueue + `:
    mode: enforce
    workflow_id: "^(?P<tenant>[a-z]+)-test-workflow-id$"
    grants: [{secret: tenant, to: {activity: Push, input: /0/token}}]
`
	filled := secrets.Ref{Provider: "vault", Name: "default-test-namespace/default", Field: "token"}
	for _, tc := range []struct {
		name, rule string
		ref        secrets.Ref
	}{
		{"as the policy spells it", "", secrets.Ref{Provider: "vault", Name: "{namespace}/{tenant}", Field: "token"}},
		{"filled in", "", filled},
		{"another tenant", "secret-not-granted", secrets.Ref{Provider: "vault", Name: "default-test-namespace/other", Field: "token"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, "")
			opts.Policies = parsed(t, file)
			opts.Resolver = secretstest.Static(map[string]string{filled.String(): canary})
			var revealed string
			env := environment(t, opts)
			env.RegisterActivityWithOptions(func(_ context.Context, in typedInput) (err error) {
				revealed, err = in.Token.Reveal()
				return err
			}, named("Push"))
			err := run(t, env, pushWorkflow(typedInput{Token: secrets.From(tc.ref)}))
			if tc.rule != "" {
				wantRules(t, err, tc.rule)
				return
			}
			if err != nil || revealed != canary {
				t.Errorf("revealed %q, %v", revealed, err)
			}
		})
	}
	t.Run("a run that does not fill it", func(t *testing.T) {
		opts := options(t, "")
		opts.Policies = parsed(t, file)
		_, err := attempt(t, opts, func(context.Context, tagInput) error { t.Error("it ran"); return nil }, tagInput{})
		if !guard.IsRefused(err) {
			t.Errorf("got %v", err)
		}
	})
}
