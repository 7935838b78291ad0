package sessions

import (
	"context"
	"errors"

	"github.com/google/go-cmp/cmp"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
	"github.com/sandboxguard/sandboxguard/validation"
)

// The policies that the workflows are recorded under.
const (
	// Granted gives sandboxes their secret.
	Granted = secretsSection + `default:
  mode: enforce
  literals: enforce
  sandbox: {entries: [file]}
  grants:
    - {secret: deploy, to: {env: API_TOKEN}}
`
	// Refused gives them none.
	Refused = secretsSection + `default:
  mode: enforce
  literals: enforce
  sandbox: {entries: [file]}
`
)

const secretsSection = `version: 1
secrets:
  deploy: {ref: "env:DEPLOY_TOKEN", owner: release-eng, reason: push the release tag, review_by: 2099-01-01}
`

// All returns the workflows as they are recorded.
func All() []samples.Sample {
	return []samples.Sample{
		sample("session-plain", Plan{}, Report{}),
		sample("session-granted", Plan{Secret: true}, Report{Token: "[redacted:deploy]\n"}),
		sample("session-refused", Plan{Secret: true}, Report{Refused: true}),
		toolsSample("tools-plain", false, ""),
		toolsSample("tools-granted", true, "[redacted:deploy]\n"),
	}
}

// Sources returns, by the name of a recording, the policies that it was
// recorded under.
func Sources() map[string]func() (guard.PolicySource, error) {
	parsed := func(text string) func() (guard.PolicySource, error) {
		return func() (guard.PolicySource, error) { return validation.ParsePolicies("policy.yaml", []byte(text)) }
	}
	return map[string]func() (guard.PolicySource, error){
		"session-granted": parsed(Granted), "session-refused": parsed(Refused), "tools-granted": parsed(Granted),
	}
}

func sample(name string, p Plan, want Report) samples.Sample {
	want.Answers = []string{
		"first\n", "second\n", "exec_transport_error", "written", "workspace_read_not_found", "one\n2\nthree\n", "written", "cancelled",
	}
	return samples.Sample{
		Name:      name,
		Workflows: Register,
		Worker:    worker.Options{LocalActivityWorkerOnly: true}, // the host has the activities
		Beside:    hostOf(sandboxtest.NewFake()),
		Drive: func(ctx context.Context, e samples.Env) (samples.Outcome, error) {
			run, err := e.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: e.WorkflowID, TaskQueue: e.TaskQueue}, Type, p)
			if err != nil {
				return samples.Outcome{}, err
			}
			return outcome(ctx, run, want)
		},
	}
}

// toolsSample is Tools, of which one terminal shows what stands for the token.
func toolsSample(name string, secret bool, token string) samples.Sample {
	backend := sandboxtest.NewFaults(toolbox())
	creates := backend.Hold(sandboxtest.Create)
	return samples.Sample{
		Name:      name,
		Workflows: Register,
		Worker:    worker.Options{LocalActivityWorkerOnly: true},
		Beside:    hostOf(backend),
		Drive: func(ctx context.Context, e samples.Env) (samples.Outcome, error) {
			run, err := e.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: e.WorkflowID, TaskQueue: e.TaskQueue}, ToolsType, secret)
			if err != nil {
				return samples.Outcome{}, err
			}
			// Only now is the sandbox made that is not wanted any more.
			_, err = harness.AwaitEvent(ctx, e.Client, e.WorkflowID, run.GetRunID(), harness.OfType(enumspb.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED))
			if err != nil {
				return samples.Outcome{}, err
			}
			creates.Open()
			return outcome(ctx, run, toolAnswers(token))
		},
	}
}

// outcome is that of a run, which must have come to what is wanted.
func outcome[T any](ctx context.Context, run client.WorkflowRun, want T) (samples.Outcome, error) {
	var got T
	err := run.Get(ctx, &got)
	if diff := cmp.Diff(want, got); err == nil && diff != "" {
		err = errors.New("sessions: another result (-want +got):\n" + diff)
	}
	return samples.Outcome{Result: got}, err
}
