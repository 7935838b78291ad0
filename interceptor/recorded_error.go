package interceptor

import (
	"encoding/json"

	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// failureOf encodes a clean error for a record, live only.
//
//workflowcheck:ignore
func failureOf(err error) json.RawMessage {
	data, encodeErr := protojson.Marshal(temporal.GetDefaultFailureConverter().ErrorToFailure(err))
	if encodeErr != nil {
		return failureOf(errorWithheld())
	}
	return data
}

// plainDetail decodes a detail of a record that is text or a truth value, so that
// code that reads the details of a live error finds what it expects. Everything
// else stays encoded: only its reader knows the type.
func plainDetail(v any) any {
	raw, ok := v.(converter.RawValue)
	if !ok {
		return v
	}
	var decoded any
	if converter.GetDefaultDataConverter().FromPayload(raw.Payload(), &decoded) != nil {
		return v
	}
	switch decoded.(type) {
	case string, bool:
		return decoded
	}
	return v
}

// errorOf returns the error of a record, the same live and on replay. Every level
// is made anew: an error that remembers the failure it was made from would pass by
// the user's failure converter, which may encrypt messages.
//
// It depends on the record alone.
//
//workflowcheck:ignore
func errorOf(data json.RawMessage) error {
	var f failurepb.Failure
	if (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data, &f) != nil {
		return errorWithheld()
	}
	c := cleaner{hidden: redact.NewSet(), rebuild: 1}
	_, err := c.error(temporal.GetDefaultFailureConverter().FailureToError(&f), 0)
	return err
}
