package interceptor_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// A clientCall is one way in which a client writes something.
type clientCall struct {
	name, path string
	send       func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error
}

func startOptions() *client.StartWorkflowOptions {
	return &client.StartWorkflowOptions{ID: "w", TaskQueue: testQueue}
}

func clientCalls() []clientCall {
	return []clientCall{
		{"start", "/0", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			_, err := c.ExecuteWorkflow(ctx, &interceptor.ClientExecuteWorkflowInput{Options: startOptions(), WorkflowType: "Flow", Args: []any{v}})
			return err
		}},
		{"start, second argument", "/1", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			_, err := c.ExecuteWorkflow(ctx, &interceptor.ClientExecuteWorkflowInput{Options: startOptions(), WorkflowType: "Flow", Args: []any{1, v}})
			return err
		}},
		{"start memo", "/memo/k", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			opts := startOptions()
			opts.Memo = map[string]any{"k": v}
			_, err := c.ExecuteWorkflow(ctx, &interceptor.ClientExecuteWorkflowInput{Options: opts, WorkflowType: "Flow"})
			return err
		}},
		{"signal", "/0", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			return c.SignalWorkflow(ctx, &interceptor.ClientSignalWorkflowInput{WorkflowID: "w", SignalName: "greet", Arg: v})
		}},
		{"signal-with-start, start", "/0", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			_, err := c.SignalWithStartWorkflow(ctx, &interceptor.ClientSignalWithStartWorkflowInput{Options: startOptions(), SignalName: "greet", WorkflowType: "Flow", Args: []any{v}})
			return err
		}},
		{"signal-with-start, signal", "/0", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			_, err := c.SignalWithStartWorkflow(ctx, &interceptor.ClientSignalWithStartWorkflowInput{Options: startOptions(), SignalName: "greet", SignalArg: v, WorkflowType: "Flow"})
			return err
		}},
		{"update", "/0", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			_, err := c.UpdateWorkflow(ctx, &interceptor.ClientUpdateWorkflowInput{WorkflowID: "w", UpdateName: "change", Args: []any{v}})
			return err
		}},
		{"update-with-start", "/0", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			_, err := c.UpdateWithStartWorkflow(ctx, &interceptor.ClientUpdateWithStartWorkflowInput{UpdateOptions: &client.UpdateWorkflowOptions{UpdateName: "change", Args: []any{v}}})
			return err
		}},
		{"query", "/0", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			_, err := c.QueryWorkflow(ctx, &interceptor.ClientQueryWorkflowInput{WorkflowID: "w", QueryType: "state", Args: []any{v}})
			return err
		}},
		{"schedule", "/0", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			_, err := c.CreateSchedule(ctx, &interceptor.ScheduleClientCreateInput{Options: &client.ScheduleOptions{
				ID: "s", Action: &client.ScheduleWorkflowAction{TaskQueue: testQueue, Args: []any{v}},
			}})
			return err
		}},
		{"schedule memo", "/memo/k", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			_, err := c.CreateSchedule(ctx, &interceptor.ScheduleClientCreateInput{Options: &client.ScheduleOptions{
				ID: "s", Memo: map[string]any{"other": 1}, Action: &client.ScheduleWorkflowAction{TaskQueue: testQueue, Memo: map[string]any{"k": v}},
			}})
			return err
		}},
		{"standalone activity", "/0", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			_, err := c.ExecuteActivity(ctx, &interceptor.ClientExecuteActivityInput{
				Options: &client.StartActivityOptions{ID: "a", TaskQueue: testQueue}, ActivityType: "Push", Args: []any{v},
			})
			return err
		}},
		{"Nexus operation", "/0", func(ctx context.Context, c interceptor.ClientOutboundInterceptor, v any) error {
			_, err := c.ExecuteNexusOperation(ctx, &interceptor.ClientExecuteNexusOperationInput{OperationType: "note", Input: v})
			return err
		}},
	}
}

// TestClientsAreJudged: what a client sends is refused before it is sent. Nothing
// of a client is replayed.
func TestClientsAreJudged(t *testing.T) {
	for _, call := range clientCalls() {
		t.Run(call.name, func(t *testing.T) {
			for _, tc := range []struct {
				name, rule, at string
				in             note
			}{
				{"literal", "literal-credential", "/text", note{Text: githubToken}},
				{"untyped value", "secret-untyped-place", "/any/k", note{Any: map[string]any{"k": secrets.Env("DEPLOY_TOKEN")}}},
			} {
				opts := options(t, "")
				s := &server{}
				err := call.send(t.Context(), clientOf(t, opts, s), tc.in)
				wantRules(t, err, tc.rule)
				if got := guard.Violations(err)[0].Path; got != call.path+tc.at {
					t.Errorf("path %q, want %q", got, call.path+tc.at)
				}
				if len(s.got) != 0 {
					t.Errorf("the server got %s", jsonOf(t, s.got))
				}
				sink := opts.Audit.(*memorySink)
				sink.await(t, 1)
				if r := sink.only(audit.ActionDeny); len(r) != 1 || r[0].Rule != tc.rule {
					t.Errorf("records %+v", r)
				}
			}
			s := &server{}
			if err := call.send(t.Context(), clientOf(t, options(t, ""), s), note{Text: "hello"}); err != nil || len(s.got) != 1 || !holds(s.got, "hello") {
				t.Errorf("a plain call: %v, the server got %s", err, jsonOf(t, s.got))
			}
		})
	}
}

// TestClientsMaySendReferencesInTypedFields: that is what they are for.
func TestClientsMaySendReferencesInTypedFields(t *testing.T) {
	in := typedInput{Token: secrets.Env("DEPLOY_TOKEN")}
	for _, call := range clientCalls() {
		if call.path == "/memo/k" {
			continue // a memo has no types
		}
		t.Run(call.name, func(t *testing.T) {
			s := &server{}
			err := call.send(t.Context(), clientOf(t, options(t, grantTyped), s), in)
			if err != nil || len(s.got) != 1 {
				t.Errorf("got %v", err)
			}
		})
	}
	s := &server{}
	_, err := clientOf(t, options(t, ""), s).ExecuteActivity(t.Context(), &interceptor.ClientExecuteActivityInput{
		Options: &client.StartActivityOptions{TaskQueue: testQueue}, ActivityType: "Push", Args: []any{in},
	})
	wantRules(t, err, "secret-not-granted")
}

// TestClientInputsAreNotWrittenTo: what the guard rewrites, it rewrites in a copy.
func TestClientInputsAreNotWrittenTo(t *testing.T) {
	arg := map[string]any{"manifest": map[string]any{"environment": map[string]any{"value": map[string]any{
		"API_TOKEN": map[string]any{"type": "secret_ref", "key": "DEPLOY_TOKEN"},
	}}}}
	before := jsonOf(t, arg)
	in := &interceptor.ClientExecuteWorkflowInput{Options: startOptions(), WorkflowType: "Flow", Args: []any{arg}}
	s := &server{}
	if _, err := clientOf(t, options(t, sandboxed), s).ExecuteWorkflow(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if jsonOf(t, arg) != before || jsonOf(t, in.Args) != "["+before+"]" {
		t.Error("the caller's own input was written to")
	}
	if s.got[0] == any(in) {
		t.Error("the caller's own input was handed on")
	}
}

// TestClientsSendWhatWasNormalised: on every way that carries arguments.
func TestClientsSendWhatWasNormalised(t *testing.T) {
	arg := map[string]any{"manifest": map[string]any{"environment": map[string]any{"value": map[string]any{
		"API_TOKEN": map[string]any{"type": "secret_ref", "key": "DEPLOY_TOKEN"},
	}}}}
	for _, call := range clientCalls() {
		if call.path == "/memo/k" {
			continue // judged, and sent as it is
		}
		t.Run(call.name, func(t *testing.T) {
			s := &server{}
			if err := call.send(t.Context(), clientOf(t, options(t, sandboxed), s), arg); err != nil {
				t.Fatal(err)
			}
			if holds(s.got, `"secret_ref"`) || !holds(s.got, `{"name":"DEPLOY_TOKEN","type":"temporal.worker_env_value"}`) {
				t.Errorf("the server gets %s", jsonOf(t, s.got))
			}
		})
	}
}

// TestTextsBesideAClientsArguments covers ids, summaries, notes and attributes.
func TestTextsBesideAClientsArguments(t *testing.T) {
	attribute := temporal.NewSearchAttributes(stringKey.ValueSet(githubToken))
	start := func(change func(*client.StartWorkflowOptions)) func(context.Context, interceptor.ClientOutboundInterceptor) error {
		return func(ctx context.Context, c interceptor.ClientOutboundInterceptor) error {
			opts := startOptions()
			change(opts)
			_, err := c.ExecuteWorkflow(ctx, &interceptor.ClientExecuteWorkflowInput{Options: opts, WorkflowType: "Flow"})
			return err
		}
	}
	schedule := func(opts client.ScheduleOptions) func(context.Context, interceptor.ClientOutboundInterceptor) error {
		return func(ctx context.Context, c interceptor.ClientOutboundInterceptor) error {
			_, err := c.CreateSchedule(ctx, &interceptor.ScheduleClientCreateInput{Options: &opts})
			return err
		}
	}
	action := func(a client.ScheduleWorkflowAction) client.ScheduleOptions {
		a.TaskQueue = testQueue
		return client.ScheduleOptions{ID: "s", Action: &a}
	}
	for _, tc := range []struct {
		name, path string
		send       func(context.Context, interceptor.ClientOutboundInterceptor) error
	}{
		{"workflow id", "/workflow_id", start(func(o *client.StartWorkflowOptions) { o.ID = githubToken })},
		{"summary", "/summary", start(func(o *client.StartWorkflowOptions) { o.StaticSummary = githubToken })},
		{"details", "/details", start(func(o *client.StartWorkflowOptions) { o.StaticDetails = githubToken })},
		{"typed attribute", "/search_attributes/CustomStringField", start(func(o *client.StartWorkflowOptions) { o.TypedSearchAttributes = attribute })},
		{"untyped attribute", "/search_attributes/k", start(func(o *client.StartWorkflowOptions) {
			o.SearchAttributes = map[string]any{"k": githubToken}
		})},
		{"update id", "/update_id", func(ctx context.Context, c interceptor.ClientOutboundInterceptor) error {
			_, err := c.UpdateWorkflow(ctx, &interceptor.ClientUpdateWorkflowInput{UpdateID: githubToken, UpdateName: "change"})
			return err
		}},
		{"schedule note", "/note", schedule(client.ScheduleOptions{ID: "s", Note: githubToken, Action: &client.ScheduleWorkflowAction{TaskQueue: testQueue}})},
		{"schedule id", "/schedule_id", schedule(client.ScheduleOptions{ID: githubToken, Action: &client.ScheduleWorkflowAction{TaskQueue: testQueue}})},
		{"schedule summary", "/summary", schedule(action(client.ScheduleWorkflowAction{StaticSummary: githubToken}))},
		{"schedule details", "/details", schedule(action(client.ScheduleWorkflowAction{StaticDetails: githubToken}))},
		{"schedule attribute", "/search_attributes/CustomStringField", schedule(action(client.ScheduleWorkflowAction{TypedSearchAttributes: attribute}))},
		{"activity id", "/activity_id", func(ctx context.Context, c interceptor.ClientOutboundInterceptor) error {
			_, err := c.ExecuteActivity(ctx, &interceptor.ClientExecuteActivityInput{Options: &client.StartActivityOptions{ID: githubToken, TaskQueue: testQueue}, ActivityType: "Push"})
			return err
		}},
		{"activity summary", "/summary", func(ctx context.Context, c interceptor.ClientOutboundInterceptor) error {
			_, err := c.ExecuteActivity(ctx, &interceptor.ClientExecuteActivityInput{Options: &client.StartActivityOptions{Summary: githubToken, TaskQueue: testQueue}, ActivityType: "Push"})
			return err
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &server{}
			err := tc.send(t.Context(), clientOf(t, options(t, ""), s))
			wantRules(t, err, "literal-credential")
			if diff := cmp.Diff(tc.path, guard.Violations(err)[0].Path); diff != "" || len(s.got) != 0 {
				t.Errorf("path (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSameKeyTwiceInASchedule: a key of both memos is looked at in both.
func TestSameKeyTwiceInASchedule(t *testing.T) {
	for _, memos := range [][2]string{{githubToken, "x"}, {"x", githubToken}} {
		s := &server{}
		_, err := clientOf(t, options(t, ""), s).CreateSchedule(t.Context(), &interceptor.ScheduleClientCreateInput{Options: &client.ScheduleOptions{
			ID: "s", Memo: map[string]any{"k": memos[0]},
			Action: &client.ScheduleWorkflowAction{TaskQueue: testQueue, Memo: map[string]any{"k": memos[1]}},
		}})
		wantRules(t, err, "literal-credential")
	}
}

// TestSchedulesWithPayloads: the arguments of a described schedule are payloads.
func TestSchedulesWithPayloads(t *testing.T) {
	p, err := converter.GetDefaultDataConverter().ToPayload(note{Text: githubToken})
	if err != nil {
		t.Fatal(err)
	}
	for _, arg := range []any{converter.NewRawValue(p), &commonpb.Payloads{Payloads: []*commonpb.Payload{p}}} {
		s := &server{}
		_, err := clientOf(t, options(t, ""), s).CreateSchedule(t.Context(), &interceptor.ScheduleClientCreateInput{Options: &client.ScheduleOptions{
			ID: "s", Action: &client.ScheduleWorkflowAction{TaskQueue: testQueue, Args: []any{arg}},
		}})
		if !guard.IsRefused(err) {
			t.Errorf("%T passed: %v", arg, err)
		}
	}
}
