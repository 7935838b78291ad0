package gauntlet

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// EndsType is a workflow that is refused where the other one is not: after a
// session, at a request to cancel, a Nexus operation, the result of an update and
// its own.
const EndsType = "Ends"

// TellUpdate is its update, which returns a credential.
const TellUpdate = "tell"

// known is a value that the recording worker has resolved, in the id of a
// workflow that is asked to cancel.
const known = "resolved-0b7d1c5e93a24f68"

// Hidden is a set that holds it.
func Hidden() *redact.Set {
	set := redact.NewSet()
	if err := set.Add("deploy", known); err != nil {
		panic(err) // it is long enough
	}
	return set
}

// ends makes a call of another type after each refusal, so that a refusal which
// is not found on replay shows.
func ends(ctx workflow.Context, _ string) (string, error) {
	if err := workflow.SetUpdateHandler(ctx, TellUpdate, func(workflow.Context) (string, error) { return Credential, nil }); err != nil {
		return "", err
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 20 * time.Second})
	session, err := workflow.CreateSession(ctx, &workflow.SessionOptions{CreationTimeout: 20 * time.Second, ExecutionTimeout: time.Minute})
	if err != nil {
		return "", err
	}
	workflow.CompleteSession(session)
	for _, call := range []func() workflow.Future{
		func() workflow.Future { return workflow.ExecuteActivity(ctx, "Note", note(Credential)) },
		func() workflow.Future { return workflow.RequestCancelExternalWorkflow(ctx, "ends-"+known, "") },
		func() workflow.Future {
			return workflow.NewNexusClient("nowhere", "notes").ExecuteOperation(ctx, "note", Credential, workflow.NexusOperationOptions{})
		},
	} {
		if err := call().Get(ctx, nil); !guard.IsRefused(err) {
			return "", fmt.Errorf("gauntlet: not refused: %w", err)
		}
		if err := workflow.ExecuteActivity(ctx, "Fallback", "plain").Get(ctx, nil); err != nil {
			return "", err
		}
	}
	workflow.GetSignalChannel(ctx, Finish).Receive(ctx, nil)
	return Credential, nil
}

// DriveEnds runs it to its end and says what was refused of it. With a credential
// in its input, a worker that fails tainted runs ends it before it begins.
func DriveEnds(ctx context.Context, c client.Client, queue, id, input string) (map[string]bool, error) {
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: queue}, EndsType, input)
	if err != nil {
		return nil, fmt.Errorf("gauntlet: start: %w", err)
	}
	refused := map[string]bool{}
	if input == "" {
		handle, err := c.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{WorkflowID: id, UpdateName: TellUpdate, WaitForStage: client.WorkflowUpdateStageCompleted})
		if err == nil {
			err = handle.Get(ctx, nil)
		}
		if refused["update"] = guard.IsRefused(err); !refused["update"] {
			return nil, fmt.Errorf("gauntlet: update: %w", err)
		}
		if err := c.SignalWorkflow(ctx, id, "", Finish, nil); err != nil {
			return nil, fmt.Errorf("gauntlet: finish: %w", err)
		}
	}
	err = run.Get(ctx, nil)
	if refused["run"] = guard.IsRefused(err); !refused["run"] {
		return nil, errors.Join(errors.New("gauntlet: the run was not refused"), err)
	}
	return refused, nil
}
