package interceptor_test

import (
	"errors"
	"fmt"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// failures is the plugin's failure converter over next, knowing the canary.
func failures(tb testing.TB, next converter.FailureConverter) converter.FailureConverter {
	tb.Helper()
	opts := options(tb, "")
	opts.Hidden = knowing(tb, canary)
	return configured(tb, opts, nil, next).FailureConverter
}

func encrypted(tb testing.TB) converter.FailureConverter {
	tb.Helper()
	return temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{
		DataConverter:          converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), reversing{}),
		EncodeCommonAttributes: true,
	})
}

func absentIn(tb testing.TB, f *failurepb.Failure) {
	tb.Helper()
	data, err := proto.Marshal(f)
	if err != nil {
		tb.Fatal(err)
	}
	secretstest.AssertAbsent(tb, []string{canary}, data)
}

// TestFailuresAreClean: at every level of a chain, whatever kind of error it is.
func TestFailuresAreClean(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		err        error
	}{
		{"plain", "with " + nameless, errors.New("with " + canary)},
		{"application", "no " + nameless, temporal.NewApplicationError("no "+canary, "T", canary, map[string]any{"t": canary})},
		{"cause", "outer", temporal.NewApplicationErrorWithCause("outer", "T", fmt.Errorf("inner: %w", errors.New(canary)))},
		{"canceled", "canceled", temporal.NewCanceledError(canary)},
		{"heartbeat timeout", "", temporal.NewHeartbeatTimeoutError(canary)},
		{"without a secret", "fine", errors.New("fine")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fc := failures(t, nil)
			f := converter.WithFailureConverterSerializationContext(fc, converter.WorkflowSerializationContext{WorkflowID: "w"}).ErrorToFailure(tc.err)
			absentIn(t, f)
			f = fc.ErrorToFailure(tc.err)
			absentIn(t, f)
			if tc.want != "" && f.GetMessage() != tc.want {
				t.Errorf("message %q, want %q", f.GetMessage(), tc.want)
			}
		})
	}
	if f := failures(t, nil).ErrorToFailure(nil); f != nil {
		t.Errorf("no error became %v", f)
	}
	if err := failures(t, nil).FailureToError(nil); err != nil {
		t.Errorf("no failure became %v", err)
	}
}

// TestErrorsThatHoldAFailure give it back unchanged, so it is cleaned too; the one
// that they hold is not written to.
func TestErrorsThatHoldAFailure(t *testing.T) {
	details, err := converter.GetDefaultDataConverter().ToPayloads(canary)
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]*failurepb.Failure{
		"application": {Message: "m " + canary, StackTrace: "at " + canary, FailureInfo: &failurepb.Failure_ApplicationFailureInfo{
			ApplicationFailureInfo: &failurepb.ApplicationFailureInfo{Type: "T " + canary, Details: details},
		}},
		"canceled": {FailureInfo: &failurepb.Failure_CanceledFailureInfo{CanceledFailureInfo: &failurepb.CanceledFailureInfo{Details: details}}},
		"timeout": {FailureInfo: &failurepb.Failure_TimeoutFailureInfo{
			TimeoutFailureInfo: &failurepb.TimeoutFailureInfo{LastHeartbeatDetails: details},
		}},
		"reset": {FailureInfo: &failurepb.Failure_ResetWorkflowFailureInfo{
			ResetWorkflowFailureInfo: &failurepb.ResetWorkflowFailureInfo{LastHeartbeatDetails: details},
		}},
		"child": {Message: "c", Cause: &failurepb.Failure{Message: "below " + canary}, FailureInfo: &failurepb.Failure_ChildWorkflowExecutionFailureInfo{
			ChildWorkflowExecutionFailureInfo: &failurepb.ChildWorkflowExecutionFailureInfo{WorkflowType: &commonpb.WorkflowType{Name: "Child"}},
		}},
		"activity": {
			Message: "a", Cause: &failurepb.Failure{Message: "below " + canary, Cause: &failurepb.Failure{StackTrace: canary}},
			FailureInfo: &failurepb.Failure_ActivityFailureInfo{ActivityFailureInfo: &failurepb.ActivityFailureInfo{ActivityType: &commonpb.ActivityType{Name: "Push"}}},
		},
		"server": {Message: "s " + canary, FailureInfo: &failurepb.Failure_ServerFailureInfo{ServerFailureInfo: &failurepb.ServerFailureInfo{NonRetryable: true}}},
		"source": {Source: "from " + canary, Message: "m"},
	} {
		t.Run(name, func(t *testing.T) {
			before := proto.Clone(f)
			fc := failures(t, nil)
			absentIn(t, fc.ErrorToFailure(fc.FailureToError(f)))
			if !proto.Equal(before, f) {
				t.Error("the failure itself was written to")
			}
		})
	}
}

// TestFailureToErrorDoesNotWrite: the SDK's own converter decodes an encrypted
// message in place, and for a local activity that very message is already on its
// way to history.
func TestFailureToErrorDoesNotWrite(t *testing.T) {
	plain := encrypted(t)
	f := plain.ErrorToFailure(errors.New("only for those who have the key"))
	if f.GetMessage() != "Encoded failure" {
		t.Fatalf("not encrypted: %q", f.GetMessage())
	}
	before := proto.Clone(f)
	err := failures(t, encrypted(t)).FailureToError(f)
	if err == nil || err.Error() == "Encoded failure" {
		t.Errorf("not decoded: %v", err)
	}
	if !proto.Equal(before, f) {
		t.Errorf("the failure was decoded in place: %q", f.GetMessage())
	}
	if err := plain.FailureToError(f); err == nil || proto.Equal(before, f) {
		t.Error("the SDK no longer decodes in place: the wrapper's clone can go")
	}
}

// TestEncryptedFailuresAreCleanInside: the error is cleaned before it is encrypted.
func TestEncryptedFailuresAreCleanInside(t *testing.T) {
	f := failures(t, encrypted(t)).ErrorToFailure(temporal.NewApplicationError("with "+canary, "T", canary))
	err := encrypted(t).FailureToError(f)
	var app *temporal.ApplicationError
	if !errors.As(err, &app) || app.Message() != "with "+nameless {
		t.Fatalf("got %v", err)
	}
	var detail string
	if err := app.Details(&detail); err != nil || detail != nameless {
		t.Errorf("detail %q, %v", detail, err)
	}
}

// TestHeldFailureIsNotWrittenTo: the error that holds it may be looked at again.
func TestHeldFailureIsNotWrittenTo(t *testing.T) {
	plain := temporal.GetDefaultFailureConverter()
	err := plain.FailureToError(&failurepb.Failure{Message: "m", StackTrace: "at " + canary, FailureInfo: &failurepb.Failure_ServerFailureInfo{
		ServerFailureInfo: &failurepb.ServerFailureInfo{},
	}})
	app := plain.FailureToError(&failurepb.Failure{Message: "m", StackTrace: "at " + canary, FailureInfo: &failurepb.Failure_ApplicationFailureInfo{
		ApplicationFailureInfo: &failurepb.ApplicationFailureInfo{Type: "T"},
	}})
	for _, held := range []error{err, app} {
		before := proto.Clone(plain.ErrorToFailure(held))
		absentIn(t, failures(t, nil).ErrorToFailure(held))
		if !proto.Equal(before, plain.ErrorToFailure(held)) {
			t.Errorf("%T: the failure that it holds was edited", held)
		}
	}
}
