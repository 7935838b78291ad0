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

// AnomalyReport is the job in a sandbox. As before, the table's first address is
// out of date, so the first command fails, and the workflow takes the second.
func AnomalyReport(ctx workflow.Context, manifest sandbox.Manifest) (report string, err error) {
	boxes := sandboxclient.New(provider, sandboxclient.Options{})
	box, err := boxes.Create(ctx, sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{Manifest: &manifest}})
	if err != nil {
		return "", err
	}
	defer func() {
		if closed := box.Close(ctx); err == nil {
			err = closed
		}
	}()
	if err := box.Write(ctx, "orders.csv", orders); err != nil {
		return "", err
	}
	command := func(args ...string) (string, error) {
		result, err := box.Exec(ctx, sandboxclient.Command{Args: append([]string{toolName}, args...)})
		if err == nil && result.ExitCode != 0 {
			err = exitError(result.ExitCode)
		}
		return string(result.Stdout), err
	}
	_, err = command("fetch", "-verbose", "/v1/tables/reference", "reference.csv")
	if failed := exitError(0); errors.As(err, &failed) {
		_, err = command("fetch", "/v2/tables/reference", "reference.csv")
	}
	if err != nil {
		return "", err
	}
	return command("analyse", "orders.csv", "reference.csv")
}

// exitError is the exit code of a command that failed.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("a command ended with exit code %d", int(e)) }
