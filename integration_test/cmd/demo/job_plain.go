package main

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/sandbox"
)

// PlainReport is the job as it was before the guard, over activities of its own:
// it opens a work directory, fetches the reference table and holds the orders
// against it. The table's first address is out of date, so the first command
// fails, and the workflow takes the second.
func PlainReport(ctx workflow.Context, manifest sandbox.Manifest) (report string, err error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 20 * time.Second,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 3},
	})
	var id string
	if err := workflow.ExecuteActivity(ctx, "OpenWorkspace", manifest).Get(ctx, &id); err != nil {
		return "", err
	}
	defer func() {
		cleanup, cancel := workflow.NewDisconnectedContext(ctx)
		defer cancel()
		if closed := workflow.ExecuteActivity(cleanup, "CloseWorkspace", id).Get(cleanup, nil); err == nil {
			err = closed
		}
	}()
	command := func(args ...string) (string, error) {
		var output string
		err := workflow.ExecuteActivity(ctx, "RunCommand", Command{Workspace: id, Manifest: manifest, Args: args}).Get(ctx, &output)
		return output, err
	}
	_, err = command("fetch", "-verbose", "/v1/tables/reference", "reference.csv")
	var failed *temporal.ApplicationError
	if errors.As(err, &failed) && failed.Type() == errorTypeCommand {
		_, err = command("fetch", "/v2/tables/reference", "reference.csv")
	}
	if err != nil {
		return "", err
	}
	return command("analyse", "orders.csv", "reference.csv")
}
