package main

import (
	"errors"
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

// provider is the name under which the job's workflow finds its host.
const provider = "local"

// Variables of the job's commands.
const (
	envToken = "REPORTS_API_TOKEN"
	envURL   = "REPORTS_API_URL"
	envWeek  = "REPORT_WEEK"
)

// newManifest describes the job's work directory and environment. What stands
// for the token is all that differs between the job with and without the guard.
func newManifest(url string, token sandbox.EnvValue) sandbox.Manifest {
	return sandbox.Manifest{
		Entries: map[string]sandbox.Entry{
			"analysis.json": {Type: sandbox.EntryFile, Content: `{"orders": 0.25, "basket": 0.20}`},
		},
		Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{
			envToken: token,
			envURL:   sandbox.EnvLiteral(url),
			envWeek:  sandbox.EnvLiteral("2026-W26"),
		}},
	}
}

// analysisQueue is what the queue of the analysis has after the name of the job's own.
const analysisQueue = "-analysis"

// AnomalyReport is the job in sandboxes. What needs the network and the token has
// one of its own, and its table goes into the next, on a queue with another policy.
func AnomalyReport(ctx workflow.Context, manifest sandbox.Manifest) (string, error) {
	table, err := fetchTable(ctx, sandbox.Manifest{Environment: manifest.Environment})
	if err != nil {
		return "", err
	}
	manifest.Environment = sandbox.Environment{Values: map[string]sandbox.EnvValue{envWeek: manifest.Environment.Values[envWeek]}}
	return analyseOrders(ctx, manifest, table)
}

// fetchTable is the stage with the network. As before, the table's first address
// is out of date, so the first command fails, and the workflow takes the second.
func fetchTable(ctx workflow.Context, manifest sandbox.Manifest) (table []byte, err error) {
	const file = "reference.csv"
	err = inSandbox(ctx, "", manifest, func(box *sandboxclient.Sandbox) error {
		_, err := command(ctx, box, "fetch", "-verbose", "/v1/tables/reference", file)
		if failed := exitError(0); errors.As(err, &failed) {
			_, err = command(ctx, box, "fetch", "/v2/tables/reference", file)
		}
		if err != nil {
			return err
		}
		table, err = box.Read(ctx, file)
		return err
	})
	return table, err
}

// analyseOrders is the stage that needs nothing but files.
func analyseOrders(ctx workflow.Context, manifest sandbox.Manifest, table []byte) (report string, err error) {
	err = inSandbox(ctx, workflow.GetInfo(ctx).TaskQueueName+analysisQueue, manifest, func(box *sandboxclient.Sandbox) error {
		if err := box.Write(ctx, "orders.csv", orders); err != nil {
			return err
		}
		if err := box.Write(ctx, "reference.csv", table); err != nil {
			return err
		}
		report, err = command(ctx, box, "analyse", "orders.csv", "reference.csv")
		return err
	})
	return report, err
}

// inSandbox calls do with a sandbox from the hosts of a queue, the workflow's own if it is empty, and ends it.
func inSandbox(ctx workflow.Context, queue string, manifest sandbox.Manifest, do func(*sandboxclient.Sandbox) error) (err error) {
	boxes := sandboxclient.New(provider, sandboxclient.Options{Queue: queue})
	box, err := boxes.Create(ctx, sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &manifest}})
	if err != nil {
		return err
	}
	defer func() {
		if closed := box.Close(ctx); err == nil {
			err = closed
		}
	}()
	return do(box)
}

// command runs the job's own program.
func command(ctx workflow.Context, box *sandboxclient.Sandbox, args ...string) (string, error) {
	result, err := box.Exec(ctx, sandboxclient.Command{Args: append([]string{toolName}, args...)})
	if err == nil && result.ExitCode != 0 {
		err = exitError(result.ExitCode)
	}
	return string(result.Stdout), err
}

// exitError is the exit code of a command that failed.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("a command ended with exit code %d", int(e)) }
