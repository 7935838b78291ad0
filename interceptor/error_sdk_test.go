package interceptor_test

import (
	"errors"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
)

// TestCanceledErrorMessage: a cancellation has a message and a cause of its own.
func TestCanceledErrorMessage(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(s string) error
	}{
		{"message", func(s string) error {
			return temporal.NewCanceledErrorWithOptions(temporal.CanceledErrorOptions{Message: "stop " + s, Details: []any{"d"}})
		}},
		{"cause", func(s string) error {
			return temporal.NewCanceledErrorWithOptions(temporal.CanceledErrorOptions{Message: "stop", Cause: errors.New(s)})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := errorOf(t, tc.make)
			if !temporal.IsCanceledError(err) {
				t.Errorf("got %T", err)
			}
			for e := err; e != nil; e = errors.Unwrap(e) {
				if holdsText(e, canary) {
					t.Errorf("%T: %v", e, e)
				}
			}
		})
	}
}

// TestTimeoutErrorDetails: an activity may make these itself.
func TestTimeoutErrorDetails(t *testing.T) {
	for _, make := range []func(s string) error{
		func(s string) error { return temporal.NewHeartbeatTimeoutError("at " + s) },
		func(s string) error {
			return temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_HEARTBEAT, errSaid, "at "+s)
		},
	} {
		err := errorOf(t, make)
		var timeout *temporal.TimeoutError
		if !errors.As(err, &timeout) {
			continue // rebuilt as something else is as good
		}
		var detail string
		if err := timeout.LastHeartbeatDetails(&detail); err != nil || detail != "at "+hidden {
			t.Errorf("detail %q, %v", detail, err)
		}
	}
}
