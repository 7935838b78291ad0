package interceptor_test

import (
	"errors"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// TestWhichPolicyJudgesAClient: a start names its queue; a signal, an update and a
// query name none and go by Options.TaskQueue, the default, the first entry that
// enforces.
func TestWhichPolicyJudgesAClient(t *testing.T) {
	for _, tc := range []struct {
		name, file, queue string
		start, signal     bool // refused
	}{
		{"own entry", "queues:\n  q: {mode: enforce}\n", "", true, true},
		{"entry that reports", "queues:\n  q: {mode: report}\n", "", false, false},
		{"default enforces", "queues:\n  q: {mode: report}\ndefault: {mode: enforce}\n", "", false, true},
		{"default reports", "queues:\n  q: {mode: enforce}\ndefault: {mode: report}\n", "", true, false},
		{"another entry enforces", "queues:\n  q: {mode: report}\n  z: {mode: enforce}\n", "", false, true},
		{"a pattern enforces", "queues:\n  q: {mode: report}\n  z-*: {mode: enforce}\n", "", false, true},
		{"named queue reports", "queues:\n  q: {mode: enforce}\n  z: {mode: report}\n", "z", true, false},
		{"named queue enforces", "queues:\n  q: {mode: report}\n  z: {mode: enforce}\n", "z", false, true},
		{"start to an unlisted queue", "queues:\n  z: {mode: enforce}\n", "", false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, "")
			opts.Policies, opts.TaskQueue = policies(t, tc.file), tc.queue
			c := clientOf(t, opts, &server{})
			_, err := c.ExecuteWorkflow(t.Context(), &interceptor.ClientExecuteWorkflowInput{
				Options: &client.StartWorkflowOptions{TaskQueue: "q"}, WorkflowType: "Flow", Args: []any{githubToken},
			})
			if guard.IsRefused(err) != tc.start {
				t.Errorf("start: %v", err)
			}
			err = c.SignalWorkflow(t.Context(), &interceptor.ClientSignalWorkflowInput{SignalName: "greet", Arg: githubToken})
			if guard.IsRefused(err) != tc.signal {
				t.Errorf("signal: %v", err)
			}
		})
	}
}

// TestNotesOfCleanUp: cancelling and terminating is never refused; what would be
// refused elsewhere, and what this worker resolved, is hidden.
func TestNotesOfCleanUp(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = redact.NewSet()
	if err := opts.Hidden.Add("deploy", canary); err != nil {
		t.Fatal(err)
	}
	s := &server{}
	c := clientOf(t, opts, s)
	note := "stop " + githubToken + " and " + canary
	detail := map[string]any{"k": []any{note}, "n": 1.5}
	err := errors.Join(
		c.CancelWorkflow(t.Context(), &interceptor.ClientCancelWorkflowInput{WorkflowID: "w", Reason: note}),
		c.TerminateWorkflow(t.Context(), &interceptor.ClientTerminateWorkflowInput{WorkflowID: "w", Reason: note, Details: []any{detail, append([]byte{0xff}, canary...)}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	want := "stop [redacted:literal] and " + nameless
	canceled, terminated := s.got[0].(*interceptor.ClientCancelWorkflowInput), s.got[1].(*interceptor.ClientTerminateWorkflowInput)
	if canceled.Reason != want || canceled.WorkflowID != "w" || terminated.Reason != want || terminated.WorkflowID != "w" {
		t.Errorf("the server gets %q and %q", canceled.Reason, terminated.Reason)
	}
	if holds(terminated.Details, githubToken) || holds(terminated.Details, canary) || len(terminated.Details) != 2 {
		t.Errorf("details %v", terminated.Details)
	}
	if detail["k"].([]any)[0] != note {
		t.Error("the caller's own detail was written to")
	}
}

// TestCallsWithoutOptions: an input that the SDK never makes does not panic.
func TestCallsWithoutOptions(t *testing.T) {
	c := clientOf(t, options(t, ""), &server{})
	for name, err := range map[string]error{
		"start":    second2(c.ExecuteWorkflow(t.Context(), &interceptor.ClientExecuteWorkflowInput{WorkflowType: "Flow"})),
		"signal":   second2(c.SignalWithStartWorkflow(t.Context(), &interceptor.ClientSignalWithStartWorkflowInput{SignalName: "s"})),
		"update":   second2(c.UpdateWithStartWorkflow(t.Context(), &interceptor.ClientUpdateWithStartWorkflowInput{})),
		"schedule": second2(c.CreateSchedule(t.Context(), &interceptor.ScheduleClientCreateInput{})),
		"activity": second2(c.ExecuteActivity(t.Context(), &interceptor.ClientExecuteActivityInput{ActivityType: "Push"})),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second2[T any](_ T, err error) error { return err }
