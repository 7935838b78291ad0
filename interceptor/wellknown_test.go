package interceptor_test

import (
	"testing"

	"google.golang.org/protobuf/types/known/wrapperspb"
)

// TestWellKnownTextAsAnArgument: its JSON is a string, so a pointer to the argument
// leads to text.
func TestWellKnownTextAsAnArgument(t *testing.T) {
	checkProto(t, "/0", wrapperspb.String("old"), wrapperspb.String(canary))
	checkProto(t, "/0", wrapperspb.Bytes([]byte("old")), wrapperspb.Bytes([]byte(canary)))
}
