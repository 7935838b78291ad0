package interceptortest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	commandpb "go.temporal.io/api/command/v1"
	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	protocolpb "go.temporal.io/api/protocol/v1"
	updatepb "go.temporal.io/api/update/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
)

func payload(tb testing.TB, v any) *commonpb.Payload {
	tb.Helper()
	p, err := converter.GetDefaultDataConverter().ToPayload(v)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func packed(tb testing.TB, m proto.Message) *anypb.Any {
	tb.Helper()
	a, err := anypb.New(m)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

// messages plants a text in every kind of place, with the path that a find names.
func messages(tb testing.TB, text string) map[string]proto.Message {
	tb.Helper()
	unknown := &commonpb.Payload{}
	unknown.ProtoReflect().SetUnknown(append([]byte{0xfa, 0x3f, byte(len(text))}, text...))
	nested, err := json.Marshal([]*commonpb.Payload{payload(tb, text)})
	if err != nil {
		tb.Fatal(err)
	}
	return map[string]proto.Message{
		"workflow_id":               &workflowservice.StartWorkflowExecutionRequest{WorkflowId: text},
		"task_token":                &workflowservice.RespondActivityTaskCompletedRequest{TaskToken: []byte(text)},
		"input.payloads[1].data":    &workflowservice.StartWorkflowExecutionRequest{Input: &commonpb.Payloads{Payloads: []*commonpb.Payload{nil, payload(tb, text)}}},
		"memo.fields[note].data":    &workflowservice.StartWorkflowExecutionRequest{Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{"note": payload(tb, text)}}},
		"memo.fields[?] (key)":      &workflowservice.StartWorkflowExecutionRequest{Memo: &commonpb.Memo{Fields: map[string]*commonpb.Payload{text: {}}}},
		"metadata[encoding]":        &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte(text)}},
		"data":                      &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("json/plain")}, Data: nested},
		"(unknown fields)":          unknown,
		"failure.cause.stack_trace": &workflowservice.RespondActivityTaskFailedRequest{Failure: &failurepb.Failure{Cause: &failurepb.Failure{StackTrace: text}}},
		"messages[0].body.Rejection.rejected_request_message_id": &workflowservice.RespondWorkflowTaskCompletedRequest{Messages: []*protocolpb.Message{
			{Body: packed(tb, &updatepb.Rejection{RejectedRequestMessageId: text})},
		}},
		"commands[0].schedule_activity_task_command_attributes.activity_id": &workflowservice.RespondWorkflowTaskCompletedRequest{Commands: []*commandpb.Command{
			{Attributes: &commandpb.Command_ScheduleActivityTaskCommandAttributes{ScheduleActivityTaskCommandAttributes: &commandpb.ScheduleActivityTaskCommandAttributes{ActivityId: text}}},
		}},
	}
}

// TestEveryFieldIsLookedAt: a value is found in each place, named by its path, and
// not in the same message without it.
func TestEveryFieldIsLookedAt(t *testing.T) {
	t.Parallel()
	f := interceptortest.NewFinder([]string{value})
	clean := messages(t, strings.Repeat("clean ", 5))
	for path, message := range messages(t, value) {
		paths := map[string]bool{}
		for _, p := range f.Message(message) {
			paths[p.Path] = true
			if strings.Contains(p.String(), value[:6]) {
				t.Errorf("%s: the place shows the value", path)
			}
		}
		if !paths[path] {
			t.Errorf("%s: found in %v only", path, paths)
		}
		for _, p := range f.Message(clean[path]) {
			t.Errorf("%s: found in a clean message", p)
		}
	}
}

// sealing is a codec that hides everything.
type sealing struct{}

func (sealing) Encode(in []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(in))
	for i, p := range in {
		data, err := proto.Marshal(p)
		if err != nil {
			return nil, err
		}
		for j := range data {
			data[j] ^= 0x5a
		}
		out[i] = &commonpb.Payload{Metadata: map[string][]byte{"encoding": []byte("binary/sealed")}, Data: data}
	}
	return out, nil
}

func (sealing) Decode(in []*commonpb.Payload) ([]*commonpb.Payload, error) {
	out := make([]*commonpb.Payload, len(in))
	for i, p := range in {
		if string(p.GetMetadata()["encoding"]) != "binary/sealed" {
			out[i] = p
			continue
		}
		data := append([]byte(nil), p.GetData()...)
		for j := range data {
			data[j] ^= 0x5a
		}
		out[i] = &commonpb.Payload{}
		if err := proto.Unmarshal(data, out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func TestCodecsAreOpened(t *testing.T) {
	t.Parallel()
	sealed, err := sealing{}.Encode([]*commonpb.Payload{payload(t, value)})
	if err != nil {
		t.Fatal(err)
	}
	garbled := proto.Clone(sealed[0]).(*commonpb.Payload)
	garbled.Data = garbled.GetData()[1:]
	within := payload(t, &commonpb.Payloads{Payloads: sealed})
	message := &commonpb.Payloads{Payloads: []*commonpb.Payload{sealed[0], payload(t, "plain"), garbled, within}}
	if found := interceptortest.NewFinder([]string{value}).Message(message); len(found) > 0 {
		t.Errorf("found %v without the codec", found)
	}
	want := []interceptortest.Place{
		{Path: "payloads[0].(decoded).data", Form: "escaped"},
		{Path: "payloads[3].data.payloads[0].(decoded).data", Form: "escaped"},
	}
	if diff := cmp.Diff(want, interceptortest.NewFinder([]string{value}, sealing{}).Message(message)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
