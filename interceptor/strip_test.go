package interceptor_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/secrets"
)

// TestStripKeepsLiteralsOutOfNewEvents: what the workflow schedules holds the
// secret's name, and the activity gets the secret.
func TestStripKeepsLiteralsOutOfNewEvents(t *testing.T) {
	old := githubToken
	for _, tc := range []struct {
		name, input string
		in          shapes
		sent        func(*shapes)
		got         func(shapes) string
	}{
		{"string", "/0/name", shapes{Name: old}, func(s *shapes) { s.Name = "[secret:deploy]" }, func(s shapes) string { return s.Name }},
		{"bytes", "/0/bytes", shapes{Bytes: []byte(old)}, func(s *shapes) { s.Bytes = []byte("[secret:deploy]") }, func(s shapes) string { return string(s.Bytes) }},
		{"pointer", "/0/pointer", shapes{Pointer: ptr(old)}, func(s *shapes) { s.Pointer = ptr("[secret:deploy]") }, func(s shapes) string { return *s.Pointer }},
		{"map", "/0/map/k", shapes{Map: map[string]string{"k": old}}, func(s *shapes) { s.Map = map[string]string{"k": "[secret:deploy]"} }, func(s shapes) string { return s.Map["k"] }},
		{"every element", "/0/list/*/token", shapes{List: []inner{{Token: old}, {}}}, func(s *shapes) { s.List = []inner{{Token: "[secret:deploy]"}, {}} }, func(s shapes) string { return s.List[0].Token }},
		{"nothing there", "/0/name", shapes{}, func(*shapes) {}, func(s shapes) string { return s.Name }},
	} {
		for _, local := range []bool{false, true} {
			t.Run(tc.name, func(t *testing.T) {
				outer := &spy{}
				env := environment(t, options(t, bind(tc.input, ", literal: strip")), outer)
				var got string
				env.RegisterActivityWithOptions(func(_ context.Context, in shapes) error { got = tc.got(in); return nil }, named("Push"))
				before := jsonOf(t, tc.in)
				method := "ExecuteActivity"
				err := run(t, env, func(ctx workflow.Context) error {
					if local {
						method = "ExecuteLocalActivity"
						ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 60e9})
						return workflow.ExecuteLocalActivity(ctx, "Push", tc.in).Get(ctx, nil)
					}
					return pushWorkflow(tc.in)(ctx)
				})
				if err != nil {
					t.Fatal(err)
				}
				want := tc.in
				tc.sent(&want)
				if diff := cmp.Diff(any(want), outer.calls(method)[0].args[0]); diff != "" {
					t.Errorf("scheduled (-want +got):\n%s", diff)
				}
				if got != canary {
					t.Errorf("the activity got %q", got)
				}
				if jsonOf(t, tc.in) != before {
					t.Error("the workflow's own object was written to")
				}
			})
		}
	}
}

// TestReplaceLeavesWhatIsScheduled: only strip rewrites.
func TestReplaceLeavesWhatIsScheduled(t *testing.T) {
	outer := &spy{}
	env := environment(t, options(t, bindReplace), outer)
	env.RegisterActivityWithOptions(func(context.Context, tagInput) error { return nil }, named("Push"))
	if err := run(t, env, pushWorkflow(tagInput{Token: "an old one"})); err != nil {
		t.Fatal(err)
	}
	if sent := outer.calls("ExecuteActivity")[0].args[0].(tagInput); sent.Token != "an old one" {
		t.Errorf("scheduled %q", sent.Token)
	}
}

// TestBoundCredentialsAreNotReported: a credential at a place that is replaced is
// not refused for being one; beside it, it is.
func TestBoundCredentialsAreNotReported(t *testing.T) {
	for _, tc := range []struct {
		literal string
		in      tagInput
		rule    string
	}{
		{"replace", tagInput{Token: githubToken}, ""},
		{"strip", tagInput{Token: githubToken}, ""},
		{"refuse", tagInput{Token: githubToken}, "literal-credential"},
		{"replace", tagInput{Repo: githubToken}, "literal-credential"},
	} {
		env := environment(t, options(t, bind("/0/token", ", literal: "+tc.literal)))
		env.RegisterActivityWithOptions(func(context.Context, tagInput) error { return nil }, named("Push"))
		err := run(t, env, pushWorkflow(tc.in))
		if tc.rule == "" {
			if err != nil {
				t.Errorf("%s: %v", tc.literal, err)
			}
			continue
		}
		wantRules(t, err, tc.rule)
	}
}

// TestLocalActivityRetries: each attempt of a local activity gets the secret, and
// what lies between holds none.
func TestLocalActivityWithMapsAndRetries(t *testing.T) {
	in := map[string]any{"token": secrets.EnvRef("DEPLOY_TOKEN").ToMap(), "n": 1}
	before := jsonOf(t, in)
	env := environment(t, options(t, bind("/0/token", "")))
	tries := 0
	env.RegisterActivityWithOptions(func(_ context.Context, in map[string]any) error {
		tries++
		if in["token"] != canary {
			t.Errorf("attempt %d got %v", tries, in["token"])
		}
		if tries < 3 {
			return errSaid
		}
		return nil
	}, named("Push"))
	if err := run(t, env, func(ctx workflow.Context) error {
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 60e9, RetryPolicy: retries(3)})
		return workflow.ExecuteLocalActivity(ctx, "Push", in).Get(ctx, nil)
	}); err != nil {
		t.Fatal(err)
	}
	if jsonOf(t, in) != before || tries != 3 {
		t.Errorf("after %d attempts the workflow's map is %s", tries, jsonOf(t, in))
	}
}
