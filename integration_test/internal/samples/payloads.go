package samples

import (
	"context"
	"fmt"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/types/known/structpb"
)

// protocol speaks protobuf with its activity.
func protocol(ctx workflow.Context, in *commonpb.WorkflowType) (*structpb.Struct, error) {
	var out *structpb.Struct
	err := workflow.ExecuteActivity(quick(ctx), describe, in, &structpb.Struct{Fields: map[string]*structpb.Value{
		"weight": structpb.NewNumberValue(2.5), "fragile": structpb.NewBoolValue(true),
	}}).Get(ctx, &out)
	return out, err
}

func describe(_ context.Context, in *commonpb.WorkflowType, more *structpb.Struct) (*structpb.Struct, error) {
	more.Fields["name"] = structpb.NewStringValue(in.GetName())
	return more, nil
}

func protobuf() Sample {
	return Sample{
		Name:       "protobuf",
		Workflows:  workflows(protocol),
		Activities: activities(describe),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			run, err := e.start(ctx, protocol, &commonpb.WorkflowType{Name: "parcel"})
			if err != nil {
				return Outcome{}, err
			}
			var out *structpb.Struct
			err = run.Get(ctx, &out)
			return Outcome{Result: out.AsMap()}, err
		},
		Want: `{"fragile":true,"name":"parcel","weight":2.5}`,
	}
}

// shapes hands over what is neither a struct nor a map of strings: nothing at
// all, bytes, a payload as it is, numbers that a float cannot hold, a list of
// anything, and a map with numbers for keys.
func shapes(ctx workflow.Context, raw converter.RawValue, big int64) ([]string, error) {
	ctx = quick(ctx)
	var answers []string
	for _, arg := range []any{
		nil,
		[]byte{0xff, 0x00, 0x7b},
		raw, big,
		[]any{1, "two", nil, map[string]any{"three": 3}},
		map[int]string{1: "one"},
		struct{}{},
		(*invoice)(nil), 0.1, true, "",
		`{"type":"ordinary text that happens to be JSON"}`,
	} {
		var answer string
		if err := workflow.ExecuteActivity(ctx, measure, arg).Get(ctx, &answer); err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	var none string
	err := workflow.ExecuteActivity(ctx, optional, "only one").Get(ctx, &none)
	return append(answers, none), err
}

// measure tells how an argument was written.
func measure(_ context.Context, arg converter.RawValue) (string, error) {
	p := arg.Payload()
	encoding := string(p.GetMetadata()[converter.MetadataEncoding])
	if encoding == converter.MetadataEncodingBinary {
		return fmt.Sprintf("%s %x", encoding, p.GetData()), nil
	}
	return fmt.Sprintf("%s %s", encoding, p.GetData()), nil
}

// optional has a second parameter that its callers may leave out.
func optional(_ context.Context, first string, second *invoice) (string, error) {
	return fmt.Sprintf("%s, %v", first, second == nil), nil
}

func rawValues() Sample {
	return Sample{
		Name:       "raw-values",
		Workflows:  workflows(shapes),
		Activities: activities(measure, optional),
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			payload, err := converter.GetDefaultDataConverter().ToPayload(map[string]any{"kept": "as it is", "n": 12345678901234567})
			if err != nil {
				return Outcome{}, err
			}
			run, err := e.start(ctx, shapes, converter.NewRawValue(payload), int64(12345678901234567))
			if err != nil {
				return Outcome{}, err
			}
			return outcome[[]string](ctx, run)
		},
		Want: `["binary/null ","binary/plain ff007b",
			"json/plain {\"kept\":\"as it is\",\"n\":12345678901234567}","json/plain 12345678901234567",
			"json/plain [1,\"two\",null,{\"three\":3}]","json/plain {\"1\":\"one\"}","json/plain {}","binary/null ",
			"json/plain 0.1","json/plain true","json/plain \"\"",
			"json/plain \"{\\\"type\\\":\\\"ordinary text that happens to be JSON\\\"}\"","only one, true"]`,
	}
}
