package interceptor_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// TestAllowedLiteralInAManifest: policy.md's own example of allow_literals.
func TestAllowedLiteralInAManifest(t *testing.T) {
	m := manifestMap()
	envOf(m).(map[string]any)["LANG"] = githubToken
	allow := "allow_literals: [{path: Push/0/m/environment/LANG, rule: env-literal-credential, reason: a demo key}]\n"
	typed := sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{"LANG": sandbox.EnvLiteral(githubToken)}}}
	type job struct {
		M sandbox.Manifest `json:"m"`
	}
	for name, in := range map[string]any{"map": map[string]any{"m": m}, "typed": job{typed}} {
		t.Run(name, func(t *testing.T) {
			entry := sandboxed + allow
			if name == "map" {
				entry = bound("manifest", "/m") + allow
			}
			env := environment(t, options(t, entry))
			if name == "map" {
				env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Push"))
			} else {
				env.RegisterActivityWithOptions(func(context.Context, job) error { return nil }, named("Push"))
			}
			if err := run(t, env, pushWorkflow(in)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCredentialInAManifestIsReportedOnce: the environment has a rule of its own.
func TestCredentialInAManifestIsReportedOnce(t *testing.T) {
	m := manifestMap()
	envOf(m).(map[string]any)["LANG"] = githubToken
	for name, in := range map[string]any{"named by policy": map[string]any{"m": m}, "by its key": map[string]any{"manifest": m}} {
		t.Run(name, func(t *testing.T) {
			env := environment(t, options(t, bound("manifest", "/m")))
			env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Push"))
			wantRules(t, run(t, env, pushWorkflow(in)), "env-literal-credential")
		})
	}
}

// TestFixOfAnUngrantedVariable names the line of policy that would grant it.
func TestFixOfAnUngrantedVariable(t *testing.T) {
	m := manifestMap()
	envOf(m).(map[string]any)["API_TOKEN"] = secrets.EnvRef("OTHER_TOKEN").ToMap()
	env := environment(t, options(t, bound("manifest", "")))
	env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Push"))
	err := run(t, env, pushWorkflow(m))
	wantRules(t, err, "secret-not-granted")
	want := "grant it: queues." + testQueue + ".grants: {secret: NAME, to: {env: API_TOKEN}}"
	if got := guard.Violations(err)[0].Fix; got != want {
		t.Errorf("fix %q, want %q", got, want)
	}
}

// TestManifestToAnotherQueue: the grant stands where the worker is that resolves.
func TestManifestToAnotherQueue(t *testing.T) {
	opts := options(t, "")
	opts.TaskQueue = ""
	sandboxRules := "    sandbox: {env_literals: [LANG]}\n    inputs: [{activity: Push, argument: 0, kind: manifest}]\n"
	opts.Policies = policies(t, "queues:\n  "+testQueue+":\n    mode: enforce\n"+sandboxRules+
		"  agents:\n    mode: enforce\n    grants: [{secret: deploy, to: {env: API_TOKEN}}]\n"+sandboxRules)
	inner := &spy{}
	env := environment(t, opts, inner)
	env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Push"))
	_ = run(t, env, func(ctx workflow.Context) error {
		return toQueue("agents", manifestMap())(ctx)
	})
	if len(inner.calls("ExecuteActivity")) != 1 {
		t.Error("it did not leave, though the queue of the worker grants the secret")
	}
}
