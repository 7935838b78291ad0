package main

import (
	"time"

	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// An attempt is a workflow that does what policy does not allow.
type attempt struct {
	title    string
	workflow string // its type
	rule     string // the rule that refuses it
	activity string
	input    any
}

// attempts are the calls of step 4. The token of the first never comes from a
// payload: workflow code has it from elsewhere, a variable of the process say.
func attempts(token string) []attempt {
	hostPath := "/etc"
	return []attempt{
		{
			title: "A literal token", workflow: "PublishArtifact", rule: validation.RuleLiteralCredential, activity: "Publish",
			input: Release{Version: "v1.4.0", Token: token},
		},
		{
			title: "A manifest that binds a path of the host", workflow: "ReadHostFiles", rule: validation.RuleHostPathGrant, activity: "OpenWorkspace",
			input: sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/reference", ReadOnly: true, HostPath: &hostPath}}},
		},
		{
			title: "A live session in a run config that is a map", workflow: "ResumeAgent", rule: validation.RuleLiveSession, activity: "StartAgent",
			input: map[string]any{"config": map[string]any{"sandbox": map[string]any{"session": map[string]any{"id": 1}}}},
		},
		{
			title: "A secret that this queue is not granted", workflow: "SampleOrders", rule: validation.RuleSecretNotGranted, activity: "OpenWorkspace",
			input: sandbox.Manifest{Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
				envDSN: sandbox.EnvSecret(secrets.Env(envDSN)),
			}}},
		},
	}
}

// register registers the attempt's workflow.
func (a attempt) register(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 20 * time.Second})
		return workflow.ExecuteActivity(ctx, a.activity, a.input).Get(ctx, nil)
	}, workflow.RegisterOptions{Name: a.workflow})
}
