package interceptor_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
	"github.com/sandboxguard/sandboxguard/validation"
)

// reporting are options of a queue in report mode, and what the guard logs.
func reporting(t *testing.T, entry string) (guard.Options, *observer.ObservedLogs) {
	t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	opts := options(t, "")
	opts.Logger = zap.New(core)
	opts.Policies = policies(t, "queues:\n  "+testQueue+":\n    mode: report\n"+indent(entry))
	return opts, logs
}

// TestReportModeLetsPassAndSaysSoOnce: what would be refused goes out, and each
// finding is logged once however often it is met.
func TestReportModeLetsPassAndSaysSoOnce(t *testing.T) {
	for _, w := range ways() {
		t.Run(w.name, func(t *testing.T) {
			opts, logs := reporting(t, "")
			inner := &spy{}
			env := environment(t, opts, inner)
			env.RegisterActivityWithOptions(func(context.Context, note) error { return nil }, named("Note"))
			env.RegisterWorkflowWithOptions(greeted, workflow.RegisterOptions{Name: "Child"})
			env.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
				workflow.GetSignalChannel(ctx, "greet").Receive(ctx, nil)
				return nil
			}, workflow.RegisterOptions{Name: "Waiting"})
			env.OnSignalExternalWorkflow("default-test-namespace", "other", "", "greet", anything).Return(nil)
			env.RegisterNexusService(noteService(t))
			if err := run(t, env, func(ctx workflow.Context) error {
				ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{})
				for range 3 {
					if err := w.send(ctx, note{Text: githubToken}); err != nil && !workflow.IsContinueAsNewError(err) {
						return err
					}
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if n := len(inner.calls(w.method)); n < 3 {
				t.Errorf("%d of 3 calls left", n)
			}
			found := 0
			for _, e := range logs.All() {
				fields := e.ContextMap()
				if fields["path"] != w.path+"/text" || fields["kind"] == "signal" && w.method != "SignalExternalWorkflow" && w.method != "SignalChildWorkflow" {
					continue
				}
				if fields["rule"] != "literal-credential" || e.LoggerName != "sandboxguard" || fields["queue"] != testQueue || fields["policy"] == "" || fields["must"] == "" {
					t.Errorf("logged %v", fields)
				}
				if fields["kind"] == kindOf(w) {
					found++
				}
				secretstest.AssertAbsent(t, []string{githubToken}, []byte(e.Message), []byte(jsonOf(t, fields)))
			}
			if found != 1 {
				t.Errorf("reported %d times, want once", found)
			}
		})
	}
}

func kindOf(w way) string {
	switch w.name {
	case "child workflow memo":
		return "child workflow"
	case "signal external", "signal child":
		return "signal"
	}
	return w.name
}

// TestReportModeNeverResolvesTheUngranted: it is for structural rules, not for
// rights.
func TestReportModeNeverResolvesTheUngranted(t *testing.T) {
	for _, tc := range []struct {
		name, entry, rule string
		in                typedInput
	}{
		{"not granted", "", "secret-not-granted", typedInput{Token: secrets.Env("DEPLOY_TOKEN")}},
		{"another is granted", grantTyped, "secret-not-granted", typedInput{Token: secrets.Env("OTHER_TOKEN")}},
		{"overdue", "grants: [{secret: stale, to: {activity: Push, input: /0/token}}]\n", "secret-review-overdue", typedInput{Token: secrets.Env("STALE_TOKEN")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts, _ := reporting(t, tc.entry)
			r := counting(t)
			opts.Resolver = r
			env := environment(t, opts)
			env.RegisterActivityWithOptions(func(context.Context, typedInput) error { t.Error("it ran"); return nil }, named("Push"))
			wantRules(t, run(t, env, pushWorkflow(tc.in)), tc.rule)
			if len(r.asked) != 0 {
				t.Errorf("asked for %v", r.asked)
			}
		})
	}
	t.Run("environment", func(t *testing.T) {
		opts, _ := reporting(t, "inputs: [{activity: Push, argument: 0, kind: manifest}]\n")
		r := counting(t)
		opts.Resolver = r
		env := environment(t, opts)
		env.RegisterActivityWithOptions(func(context.Context, any) error { t.Error("it ran"); return nil }, named("Push"))
		wantRules(t, run(t, env, pushWorkflow(manifestMap())), "secret-not-granted")
		if len(r.asked) != 0 {
			t.Errorf("asked for %v", r.asked)
		}
	})
}

// TestReportModeResolvesTheGranted: the mode is no switch for secrets.
func TestReportModeResolvesTheGranted(t *testing.T) {
	opts, _ := reporting(t, grantTyped)
	var revealed string
	if _, err := attempt(t, opts, func(_ context.Context, in typedInput) (err error) {
		revealed, err = in.Token.Reveal()
		return err
	}, typedInput{Token: secrets.Env("DEPLOY_TOKEN")}); err != nil || revealed != canary {
		t.Errorf("revealed %q, %v", revealed, err)
	}
}

// TestReportModeStillHides: redaction is no matter of mode.
func TestReportModeStillHides(t *testing.T) {
	opts, _ := reporting(t, bindReplace)
	v, err := attempt(t, opts, func(_ context.Context, in tagInput) (string, error) { return in.Token, nil }, tagInput{})
	if err != nil {
		t.Fatal(err)
	}
	var text string
	if err := v.Get(&text); err != nil || text != hidden {
		t.Errorf("got %q, %v", text, err)
	}
}

// TestStructuralFindingsAreReportedInReportModeOnly: where they are refused, the
// refusal says it.
func TestStructuralFindingsAreReportedInReportModeOnly(t *testing.T) {
	for _, mode := range []string{"report", "enforce"} {
		core, logs := observer.New(zap.DebugLevel)
		opts := options(t, "")
		opts.Logger = zap.New(core)
		opts.Policies = policies(t, "queues:\n  "+testQueue+": {mode: "+mode+"}\n")
		env := environment(t, opts)
		env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Push"))
		err := run(t, env, pushWorkflow([]any{secrets.Env("DEPLOY_TOKEN")}))
		if guard.IsRefused(err) != (mode == "enforce") {
			t.Fatalf("%s: %v", mode, err)
		}
		n := logs.FilterField(zap.String("rule", validation.RuleSecretUntypedPlace)).FilterMessageSnippet("would be refused").Len()
		if (n > 0) != (mode == "report") {
			t.Errorf("%s: %d reports", mode, n)
		}
	}
}

// TestFixesInReports: a report tells which line of policy would bind the field.
func TestFixesInReports(t *testing.T) {
	opts, logs := reporting(t, "")
	env := environment(t, opts)
	env.RegisterActivityWithOptions(func(context.Context, tagInput) error { return nil }, named("Push"))
	if err := run(t, env, pushWorkflow(tagInput{Token: githubToken})); err != nil {
		t.Fatal(err)
	}
	want := `pass secrets.Env("NAME"), or bind the field: queues.` + testQueue + ".grants: {secret: NAME, to: {activity: Push, input: /0/token}, literal: replace}"
	reports := logs.FilterField(zap.String("path", "/0/token")).All()
	if len(reports) == 0 {
		t.Fatal("nothing was reported")
	}
	if diff := cmp.Diff(want, reports[0].ContextMap()["fix"]); diff != "" {
		t.Errorf("fix (-want +got):\n%s", diff)
	}
}

// TestLiteralsReportInAnEnforcingQueue: literals have a switch of their own.
func TestLiteralsReportInAnEnforcingQueue(t *testing.T) {
	core, logs := observer.New(zap.DebugLevel)
	opts := options(t, "literals: report\n")
	opts.Logger = zap.New(core)
	env := environment(t, opts)
	env.RegisterActivityWithOptions(func(context.Context, tagInput) error { return nil }, named("Push"))
	if err := run(t, env, pushWorkflow(tagInput{Token: githubToken})); err != nil {
		t.Fatal(err)
	}
	if logs.FilterField(zap.String("rule", validation.RuleLiteralCredential)).Len() == 0 {
		t.Error("nothing was reported")
	}
}

// TestAllowedLiterals: a place that policy lists is not reported at all.
func TestAllowedLiterals(t *testing.T) {
	allow := "allow_literals: [{path: Push/0/token, rule: literal-credential, reason: a demo key}]\n"
	for _, tc := range []struct {
		name    string
		in      tagInput
		refused bool
	}{{"at the place", tagInput{Token: githubToken}, false}, {"elsewhere", tagInput{Repo: githubToken}, true}} {
		env := environment(t, options(t, allow))
		env.RegisterActivityWithOptions(func(context.Context, tagInput) error { return nil }, named("Push"))
		if err := run(t, env, pushWorkflow(tc.in)); guard.IsRefused(err) != tc.refused {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
}
