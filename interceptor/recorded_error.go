package interceptor

import (
	"encoding/json"

	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// failureOf encodes a clean error for a record.
func failureOf(err error) json.RawMessage {
	data, encodeErr := protojson.Marshal(temporal.GetDefaultFailureConverter().ErrorToFailure(err))
	if encodeErr != nil {
		return failureOf(errorWithheld())
	}
	return data
}

// errorOf returns the error of a record, the same live and on replay. Every level
// is made anew: an error that remembers the failure it was made from would pass by
// the user's failure converter, which may encrypt messages.
func errorOf(data json.RawMessage) error {
	var f failurepb.Failure
	if (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(data, &f) != nil {
		return errorWithheld()
	}
	c := cleaner{hidden: redact.NewSet(), rebuild: 1}
	_, err := c.error(temporal.GetDefaultFailureConverter().FailureToError(&f), 0)
	return err
}
