package interceptor_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	historypb "go.temporal.io/api/history/v1"
	nexuspb "go.temporal.io/api/nexus/v1"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// bindProto runs an activity whose input is a message with a binding in it and
// returns what the activity got.
func bindProto[M proto.Message](t *testing.T, entry string, in M) (got M, err error) {
	t.Helper()
	before := proto.Clone(in)
	env := environment(t, options(t, entry))
	env.RegisterActivityWithOptions(func(_ context.Context, in M) error { got = in; return nil }, named("Push"))
	err = run(t, env, pushWorkflow(in))
	if diff := cmp.Diff(before, proto.Message(in), protocmp.Transform()); diff != "" {
		t.Errorf("the workflow's own message was written to (-want +got):\n%s", diff)
	}
	return got, err
}

func checkProto[M proto.Message](t *testing.T, input string, in M, want M) {
	t.Helper()
	got, err := bindProto(t, bind(`"`+input+`"`, ", literal: replace"), in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(proto.Message(want), proto.Message(got), protocmp.Transform()); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
}

func signaled(name string) *historypb.History {
	return &historypb.History{Events: []*historypb.HistoryEvent{{}, {
		Attributes: &historypb.HistoryEvent_WorkflowExecutionSignaledEventAttributes{
			WorkflowExecutionSignaledEventAttributes: &historypb.WorkflowExecutionSignaledEventAttributes{SignalName: name},
		},
	}}}
}

// TestBindingsReachProtobufFields: messages are bound through a clone, by the JSON
// name or the name in the .proto file.
func TestBindingsReachProtobufFields(t *testing.T) {
	t.Run("string by its JSON name", func(t *testing.T) {
		checkProto(t, "/0/workflowId", &commonpb.WorkflowExecution{WorkflowId: "old", RunId: "r"}, &commonpb.WorkflowExecution{WorkflowId: canary, RunId: "r"})
	})
	t.Run("string by its own name", func(t *testing.T) {
		checkProto(t, "/0/workflow_id", &commonpb.WorkflowExecution{RunId: "r"}, &commonpb.WorkflowExecution{WorkflowId: canary, RunId: "r"})
	})
	t.Run("bytes", func(t *testing.T) {
		checkProto(t, "/0/data", &commonpb.DataBlob{}, &commonpb.DataBlob{Data: []byte(canary)})
	})
	t.Run("nested", func(t *testing.T) {
		checkProto(t, "/0/cause/message", &failurepb.Failure{Message: "outer", Cause: &failurepb.Failure{Message: "old"}},
			&failurepb.Failure{Message: "outer", Cause: &failurepb.Failure{Message: canary}})
	})
	t.Run("nested and missing", func(t *testing.T) {
		checkProto(t, "/0/cause/message", &failurepb.Failure{}, &failurepb.Failure{Cause: &failurepb.Failure{Message: canary}})
	})
	t.Run("repeated", func(t *testing.T) {
		checkProto(t, "/0/nonRetryableErrorTypes/1", &commonpb.RetryPolicy{NonRetryableErrorTypes: []string{"a", "b"}},
			&commonpb.RetryPolicy{NonRetryableErrorTypes: []string{"a", canary}})
	})
	t.Run("every repeated", func(t *testing.T) {
		checkProto(t, "/0/nonRetryableErrorTypes/*", &commonpb.RetryPolicy{NonRetryableErrorTypes: []string{"a", "b"}},
			&commonpb.RetryPolicy{NonRetryableErrorTypes: []string{canary, canary}})
	})
	t.Run("oneof in a repeated message", func(t *testing.T) {
		checkProto(t, "/0/events/1/workflowExecutionSignaledEventAttributes/signalName", signaled("old"), signaled(canary))
	})
	t.Run("every entry of a map", func(t *testing.T) {
		checkProto(t, "/0/callbackHeader/*", &nexuspb.StartOperationRequest{CallbackHeader: map[string]string{"auth": "old", "x": "y"}},
			&nexuspb.StartOperationRequest{CallbackHeader: map[string]string{"auth": canary, "x": canary}})
	})
	t.Run("map of strings", func(t *testing.T) {
		checkProto(t, "/0/callbackHeader/auth", &nexuspb.StartOperationRequest{CallbackHeader: map[string]string{"auth": "old", "x": "y"}},
			&nexuspb.StartOperationRequest{CallbackHeader: map[string]string{"auth": canary, "x": "y"}})
	})
	t.Run("missing key", func(t *testing.T) {
		checkProto(t, "/0/callbackHeader/auth", &nexuspb.StartOperationRequest{}, &nexuspb.StartOperationRequest{CallbackHeader: map[string]string{"auth": canary}})
	})
	t.Run("map of messages", func(t *testing.T) {
		checkProto(t, "/0/fields/k/data", &commonpb.Memo{Fields: map[string]*commonpb.Payload{"k": {Data: []byte("old")}}},
			&commonpb.Memo{Fields: map[string]*commonpb.Payload{"k": {Data: []byte(canary)}}})
	})
	t.Run("struct of the well-known types", func(t *testing.T) {
		checkProto(t, "/0/a/0/t", wellKnown(t, map[string]any{"a": []any{map[string]any{"t": "old", "n": 1.5}}}),
			wellKnown(t, map[string]any{"a": []any{map[string]any{"t": canary, "n": 1.5}}}))
	})
	t.Run("map of bytes in a map of messages", func(t *testing.T) {
		checkProto(t, "/0/fields/k/metadata/m", &commonpb.Memo{Fields: map[string]*commonpb.Payload{"k": {}}},
			&commonpb.Memo{Fields: map[string]*commonpb.Payload{"k": {Metadata: map[string][]byte{"m": []byte(canary)}}}})
	})
}

func wellKnown(tb testing.TB, m map[string]any) *structpb.Struct {
	tb.Helper()
	s, err := structpb.NewStruct(m)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// TestProtobufPlacesThatDoNotExist end the attempt before it begins.
func TestProtobufPlacesThatDoNotExist(t *testing.T) {
	for _, tc := range []struct {
		input, rule string
		in          proto.Message
	}{
		{"/0/nope", "input-missing", &commonpb.WorkflowExecution{}},
		{"/0/workflowId/below", "input-missing", &commonpb.WorkflowExecution{}},
		{"/0/nonRetryableErrorTypes/3", "input-missing", &commonpb.RetryPolicy{}},
		{"/0/nonRetryableErrorTypes", "input-missing", &commonpb.RetryPolicy{}},
		{"/0/callbackHeader", "input-missing", &nexuspb.StartOperationRequest{}},
		{"/0/callbackHeader/k/below", "input-missing", &nexuspb.StartOperationRequest{}},
		{"/0/cause", "wrong-type", &failurepb.Failure{}},
		{"/0/maximumAttempts", "wrong-type", &commonpb.RetryPolicy{}},
	} {
		t.Run(tc.input, func(t *testing.T) {
			opts := options(t, bind(tc.input, ", literal: replace"))
			var err error
			switch in := tc.in.(type) {
			case *commonpb.WorkflowExecution:
				_, err = attempt(t, opts, func(context.Context, *commonpb.WorkflowExecution) error { return nil }, in)
			case *commonpb.RetryPolicy:
				_, err = attempt(t, opts, func(context.Context, *commonpb.RetryPolicy) error { return nil }, in)
			case *nexuspb.StartOperationRequest:
				_, err = attempt(t, opts, func(context.Context, *nexuspb.StartOperationRequest) error { return nil }, in)
			case *failurepb.Failure:
				_, err = attempt(t, opts, func(context.Context, *failurepb.Failure) error { return nil }, in)
			}
			wantRules(t, err, tc.rule)
		})
	}
}

// TestProtobufBelowAStruct: a message may be a field.
func TestProtobufBelowAStruct(t *testing.T) {
	type job struct {
		Exec *commonpb.WorkflowExecution `json:"exec"`
	}
	in := job{Exec: &commonpb.WorkflowExecution{WorkflowId: "old"}}
	var got job
	env := environment(t, options(t, bind("/0/exec/workflow_id", ", literal: replace")))
	env.RegisterActivityWithOptions(func(_ context.Context, in job) error { got = in; return nil }, named("Push"))
	if err := run(t, env, pushWorkflow(in)); err != nil {
		t.Fatal(err)
	}
	if got.Exec.GetWorkflowId() != canary || in.Exec.GetWorkflowId() != "old" {
		t.Errorf("activity %q, workflow %q", got.Exec.GetWorkflowId(), in.Exec.GetWorkflowId())
	}
}

// TestLocalActivityWithAMessage: the workflow shares it with the activity.
func TestLocalActivityWithAMessage(t *testing.T) {
	in := &commonpb.WorkflowExecution{WorkflowId: "old"}
	var got string
	env := environment(t, options(t, bind("/0/workflowId", ", literal: replace")))
	env.RegisterActivityWithOptions(func(_ context.Context, in *commonpb.WorkflowExecution) error { got = in.GetWorkflowId(); return nil }, named("Push"))
	if err := run(t, env, func(ctx workflow.Context) error {
		ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 60e9})
		return workflow.ExecuteLocalActivity(ctx, "Push", in).Get(ctx, nil)
	}); err != nil {
		t.Fatal(err)
	}
	if got != canary || in.GetWorkflowId() != "old" {
		t.Errorf("activity %q, workflow %q", got, in.GetWorkflowId())
	}
}

// TestLiteralsInMessages are found in any field.
func TestLiteralsInMessages(t *testing.T) {
	for _, in := range []proto.Message{
		&commonpb.WorkflowExecution{WorkflowId: githubToken},
		&commonpb.RetryPolicy{NonRetryableErrorTypes: []string{"x", githubToken}},
		&nexuspb.StartOperationRequest{CallbackHeader: map[string]string{"a": githubToken}},
		wrapperspb.String("x " + githubToken),
	} {
		env := environment(t, options(t, ""))
		env.RegisterActivityWithOptions(func(context.Context, any) error { t.Error("it ran"); return nil }, named("Other"))
		wantRules(t, run(t, env, otherWorkflow(in)), "literal-credential")
	}
}

// TestStripWritesTheNameIntoMessages: what is scheduled holds no literal.
func TestStripWritesTheNameIntoMessages(t *testing.T) {
	inner := &spy{}
	env := environment(t, options(t, bind("/0/workflowId", ", literal: strip")), inner)
	var got string
	env.RegisterActivityWithOptions(func(_ context.Context, in *commonpb.WorkflowExecution) error { got = in.GetWorkflowId(); return nil }, named("Push"))
	if err := run(t, env, pushWorkflow(&commonpb.WorkflowExecution{WorkflowId: githubToken})); err != nil {
		t.Fatal(err)
	}
	sent := inner.calls("ExecuteActivity")[0].args[0].(*commonpb.WorkflowExecution)
	if sent.GetWorkflowId() != "[secret:deploy]" || got != canary {
		t.Errorf("history gets %q, the activity %q", sent.GetWorkflowId(), got)
	}
}
