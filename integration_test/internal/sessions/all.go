package sessions

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
	"github.com/sandboxguard/sandboxguard/validation"
)

// The policies that the workflow is recorded under.
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

// All returns the workflow as it is recorded.
func All() []samples.Sample {
	return []samples.Sample{
		sample("session-plain", Plan{}, Report{}),
		sample("session-granted", Plan{Secret: true}, Report{Token: "[redacted:deploy]\n"}),
		sample("session-refused", Plan{Secret: true}, Report{Refused: true}),
	}
}

// Sources returns, by the name of a recording, the policies that it was
// recorded under.
func Sources() map[string]func() (guard.PolicySource, error) {
	parsed := func(text string) func() (guard.PolicySource, error) {
		return func() (guard.PolicySource, error) { return validation.ParsePolicies("policy.yaml", []byte(text)) }
	}
	return map[string]func() (guard.PolicySource, error){"session-granted": parsed(Granted), "session-refused": parsed(Refused)}
}

func sample(name string, p Plan, want Report) samples.Sample {
	want.Answers = []string{
		"first\n", "second\n", "exec_transport_error", "written", "workspace_read_not_found", "one\n2\nthree\n", "written", "cancelled",
	}
	return samples.Sample{
		Name:      name,
		Workflows: Register,
		Worker:    worker.Options{LocalActivityWorkerOnly: true}, // the host has the activities
		Beside:    host,
		Drive: func(ctx context.Context, e samples.Env) (samples.Outcome, error) {
			run, err := e.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: e.WorkflowID, TaskQueue: e.TaskQueue}, Type, p)
			if err != nil {
				return samples.Outcome{}, err
			}
			var report Report
			err = run.Get(ctx, &report)
			if diff := cmp.Diff(want, report); err == nil && diff != "" {
				err = errors.New("sessions: another report (-want +got):\n" + diff)
			}
			return samples.Outcome{Result: report}, err
		},
	}
}

// host runs a host of sandboxes in memory, with a queue of its own.
func host(ctx context.Context, c client.Client, queue string) (stop func() error, err error) {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		return nil, err
	}
	h, err := sandboxhost.New("memory", sandboxtest.NewFake(), sandboxhost.Options{Dir: filepath.Join(dir, "records")})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	w, err := harness.NewWorker(c, queue, worker.Options{DisableWorkflowWorker: true})
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	h.Register(w)
	if err := w.Start(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx, c, queue) }()
	return func() error {
		cancel()
		err := <-ended
		w.Stop()
		return errors.Join(err, os.RemoveAll(dir))
	}, nil
}
