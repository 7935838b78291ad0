package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
)

// fetch reads the latest run of a workflow.
func (d *demo) fetch(ctx context.Context, workflowID string) (harness.Run, error) {
	h, err := harness.Fetch(ctx, d.plain, workflowID, "")
	if err != nil {
		return harness.Run{}, err
	}
	return harness.Run{WorkflowID: workflowID, RunID: harness.Started(h).GetOriginalExecutionRunId(), History: h}, nil
}

// visible collects what anybody with read access to the server can see of runs.
func (d *demo) visible(ctx context.Context, runs ...harness.Run) ([]harness.Blob, error) {
	var all []harness.Blob
	for _, run := range runs {
		blobs, err := harness.Visible(ctx, d.plain, d.server.Namespace(), run.WorkflowID, run.RunID)
		if err != nil {
			return nil, err
		}
		all = append(all, blobs...)
	}
	return all, nil
}

// A find is a place with a secret in it, and the forms it has there.
type find struct{ where, forms string }

// finds merges the hits of one place.
func finds(hits []harness.Hit) []find {
	var all []find
	at := map[string]int{}
	for _, hit := range hits {
		i, known := at[hit.Where]
		if !known {
			i, at[hit.Where] = len(all), len(all)
			all = append(all, find{where: hit.Where})
		}
		all[i].forms = strings.TrimPrefix(all[i].forms+", "+formNames[hit.Form], ", ")
	}
	return all
}

var formNames = map[string]string{"raw": "as it is", "json": "JSON-escaped", "base64": "base64"}

// inOrder sorts finds as the blobs stand.
func inOrder(all []find, blobs []harness.Blob) []find {
	var sorted []find
	for _, b := range blobs {
		for _, f := range all {
			if f.where == b.Where {
				sorted = append(sorted, f)
			}
		}
	}
	return sorted
}

// scheduled finds the first call of an activity in a history.
func scheduled(h *historypb.History, activity string) (*historypb.HistoryEvent, error) {
	for _, e := range h.GetEvents() {
		if e.GetActivityTaskScheduledEventAttributes().GetActivityType().GetName() == activity {
			return e, nil
		}
	}
	return nil, fmt.Errorf("no call of %s in the history", activity)
}

// inputOf shows a part of what a call of an activity was given, as the Web UI
// does. The path leads through the first argument.
func inputOf(e *historypb.HistoryEvent, path ...string) (string, error) {
	payloads := e.GetActivityTaskScheduledEventAttributes().GetInput().GetPayloads()
	if len(payloads) == 0 {
		return "", errors.New("the call has no input")
	}
	part := json.RawMessage(payloads[0].GetData())
	for _, key := range path {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(part, &object); err != nil {
			return "", fmt.Errorf("the input has no %s: %w", key, err)
		}
		part = object[key]
	}
	var b bytes.Buffer
	if err := json.Indent(&b, part, "", "  "); err != nil {
		return "", fmt.Errorf("the input cannot be read: %w", err)
	}
	return b.String(), nil
}

// failureOf returns the message of the first failed activity, and its event.
func failureOf(h *historypb.History) (message string, event int64) {
	for _, e := range h.GetEvents() {
		if e.GetEventType() == enumspb.EVENT_TYPE_ACTIVITY_TASK_FAILED {
			return e.GetActivityTaskFailedEventAttributes().GetFailure().GetMessage(), e.GetEventId()
		}
	}
	return "", 0
}

// execute runs a workflow to its end and reads what was recorded of it.
func (d *demo) execute(ctx context.Context, c client.Client, queue, id string, workflow any, args []any, result any) (harness.Run, error) {
	started, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: id, TaskQueue: queue}, workflow, args...)
	if err != nil {
		return harness.Run{}, err
	}
	failed := started.Get(ctx, result)
	run, err := d.fetch(ctx, id)
	return run, errors.Join(failed, err)
}

// manifestOf reads the manifest that a sandbox was to be made with.
func manifestOf(create *historypb.HistoryEvent) (sandbox.Manifest, error) {
	var args operation.CreateArgs
	err := converter.GetDefaultDataConverter().FromPayloads(create.GetActivityTaskScheduledEventAttributes().GetInput(), &args)
	if err = errors.Join(err, args.Fault()); err == nil && args.Manifest == nil {
		err = errors.New("the sandbox was made without a manifest")
	}
	if err != nil {
		return sandbox.Manifest{}, err
	}
	return *args.Manifest, nil
}

// failedCommand returns the first result of a command in a sandbox that failed,
// and its event.
func failedCommand(h *historypb.History) (result operation.ExecResult, event int64, err error) {
	events := h.GetEvents()
	for _, e := range events {
		done := e.GetActivityTaskCompletedEventAttributes()
		if done == nil || events[done.GetScheduledEventId()-1].GetActivityTaskScheduledEventAttributes().GetActivityType().GetName() != operation.Exec.Activity(provider) {
			continue
		}
		if err := converter.GetDefaultDataConverter().FromPayloads(done.GetResult(), &result); err != nil {
			return result, 0, err
		}
		if result.ExitCode != 0 {
			return result, e.GetEventId(), nil
		}
	}
	return result, 0, errors.New("no command failed in the history")
}
