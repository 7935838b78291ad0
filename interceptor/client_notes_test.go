package interceptor_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// TestNotesOfOtherHandles: the reasons of standalone activities and Nexus
// operations are cleaned like those of workflows.
func TestNotesOfOtherHandles(t *testing.T) {
	note := "stop " + githubToken
	s := &server{}
	c := clientOf(t, options(t, ""), s)
	for name, call := range map[string]func(ctx context.Context) error{
		"cancel activity": func(ctx context.Context) error {
			return c.CancelActivity(ctx, &interceptor.ClientCancelActivityInput{Reason: note})
		},
		"terminate activity": func(ctx context.Context) error {
			return c.TerminateActivity(ctx, &interceptor.ClientTerminateActivityInput{Reason: note})
		},
		"pause activity": func(ctx context.Context) error {
			return c.PauseActivity(ctx, &interceptor.ClientPauseActivityInput{Options: &client.PauseActivityOptions{Reason: note}})
		},
		"unpause activity": func(ctx context.Context) error {
			return c.UnpauseActivity(ctx, &interceptor.ClientUnpauseActivityInput{Options: &client.UnpauseActivityOptions{Reason: note}})
		},
		"cancel operation": func(ctx context.Context) error {
			return c.CancelNexusOperation(ctx, &interceptor.ClientCancelNexusOperationInput{Reason: note})
		},
		"terminate operation": func(ctx context.Context) error {
			return c.TerminateNexusOperation(ctx, &interceptor.ClientTerminateNexusOperationInput{Reason: note})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.got = nil
			if err := call(t.Context()); err != nil {
				t.Fatalf("clean-up was refused: %v", err)
			}
			if len(s.got) != 1 || holds(s.got, githubToken) || !holds(s.got, "stop [redacted:literal]") {
				t.Errorf("the server gets %s", jsonOf(t, s.got))
			}
		})
	}
}

// TestMoreTextsOfClients: ids, details and attributes beside the arguments.
func TestMoreTextsOfClients(t *testing.T) {
	for name, call := range map[string]func(ctx context.Context, c interceptor.ClientOutboundInterceptor) error{
		"workflow id of a schedule": func(ctx context.Context, c interceptor.ClientOutboundInterceptor) error {
			_, err := c.CreateSchedule(ctx, &interceptor.ScheduleClientCreateInput{Options: &client.ScheduleOptions{
				ID: "s", Action: &client.ScheduleWorkflowAction{ID: githubToken, TaskQueue: testQueue},
			}})
			return err
		},
		"details of an activity": func(ctx context.Context, c interceptor.ClientOutboundInterceptor) error {
			_, err := c.ExecuteActivity(ctx, &interceptor.ClientExecuteActivityInput{
				Options: &client.StartActivityOptions{TaskQueue: testQueue, StaticDetails: githubToken}, ActivityType: "Push",
			})
			return err
		},
		"id of an operation": func(ctx context.Context, c interceptor.ClientOutboundInterceptor) error {
			_, err := c.ExecuteNexusOperation(ctx, &interceptor.ClientExecuteNexusOperationInput{
				Options: &client.StartNexusOperationOptions{ID: githubToken}, OperationType: "o",
			})
			return err
		},
		"summary of an operation": func(ctx context.Context, c interceptor.ClientOutboundInterceptor) error {
			_, err := c.ExecuteNexusOperation(ctx, &interceptor.ClientExecuteNexusOperationInput{
				Options: &client.StartNexusOperationOptions{Summary: githubToken}, OperationType: "o",
			})
			return err
		},
		"attribute of an operation": func(ctx context.Context, c interceptor.ClientOutboundInterceptor) error {
			_, err := c.ExecuteNexusOperation(ctx, &interceptor.ClientExecuteNexusOperationInput{
				Options: &client.StartNexusOperationOptions{SearchAttributes: temporal.NewSearchAttributes(stringKey.ValueSet(githubToken))}, OperationType: "o",
			})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{}
			err := call(t.Context(), clientOf(t, options(t, ""), s))
			if !guard.IsRefused(err) || len(s.got) != 0 {
				t.Errorf("got %v, the server %s", err, jsonOf(t, s.got))
			}
		})
	}
}

// TestPayloadAsAnArgument: the arguments of a schedule that was described are
// payloads, as are those of a program that encodes for itself.
func TestPayloadAsAnArgument(t *testing.T) {
	p, err := converter.GetDefaultDataConverter().ToPayload(note{Text: githubToken})
	if err != nil {
		t.Fatal(err)
	}
	s := &server{}
	_, err = clientOf(t, options(t, ""), s).CreateSchedule(t.Context(), &interceptor.ScheduleClientCreateInput{Options: &client.ScheduleOptions{
		ID: "s", Action: &client.ScheduleWorkflowAction{TaskQueue: testQueue, Args: []any{p}},
	}})
	wantRules(t, err, "literal-credential")
}
