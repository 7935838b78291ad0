package main

import (
	"time"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// An attempt is a workflow that does what policy does not allow.
type attempt struct {
	title    string
	workflow string // its type
	rule     string // the rule that refuses it
	run      func(workflow.Context) error
}

// attempts are the workflows of step 4. The token of the first never comes from
// a payload: workflow code has it from elsewhere, a variable of the process say.
func attempts(token string) []attempt {
	hostPath := "/etc"
	return []attempt{
		{
			title: "A literal token", workflow: "PublishArtifact", rule: validation.RuleLiteralCredential,
			run: call("Publish", Release{Version: "v1.4.0", Token: token}),
		},
		{
			// The client refuses that by itself, so it is called without.
			title: "A manifest that binds a path of the host", workflow: "ReadHostFiles", rule: validation.RuleHostPathGrant,
			run: call(operation.Create.Activity(provider), operation.CreateArgs{Manifest: &sandbox.Manifest{
				ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/reference", ReadOnly: true, HostPath: &hostPath}},
			}}),
		},
		{
			title: "A live session in a run config that is a map", workflow: "ResumeAgent", rule: validation.RuleLiveSession,
			run: call("StartAgent", map[string]any{"config": map[string]any{"sandbox": map[string]any{"session": map[string]any{"id": 1}}}}),
		},
		{
			title: "A secret that this queue is not granted", workflow: "SampleOrders", rule: validation.RuleSecretNotGranted,
			run: func(ctx workflow.Context) error {
				_, err := sandboxclient.New(provider, sandboxclient.Options{}).Create(ctx, sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{
					Manifest: &sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
						envDSN: sandbox.EnvSecret(secrets.Env(envDSN)),
					}}},
				}})
				return err
			},
		},
	}
}

// call calls an activity.
func call(activity string, input any) func(workflow.Context) error {
	return func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 20 * time.Second})
		return workflow.ExecuteActivity(ctx, activity, input).Get(ctx, nil)
	}
}

// register registers the attempt's workflow.
func (a attempt) register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(a.run, workflow.RegisterOptions{Name: a.workflow})
}
