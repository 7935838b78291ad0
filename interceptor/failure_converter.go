package interceptor

import (
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"
)

// failureConverter hides values in failures of every kind, in messages, stack
// traces and details, whatever converter the user has.
type failureConverter struct {
	g    *guard
	next converter.FailureConverter
}

// ErrorToFailure cleans the error, so that a converter that encrypts messages
// encrypts clean ones, and then the failure: an error that was itself made from
// a failure gives that failure back unchanged. It knows no job, so it shows no names:
// those that a job may see stand in markers by then.
func (f failureConverter) ErrorToFailure(err error) *failurepb.Failure {
	c := f.g.nameless()
	failure := f.next.ErrorToFailure(f.g.cleanError(err, c))
	if failure == nil || c.idle() {
		return failure
	}
	clone := proto.Clone(failure).(*failurepb.Failure)
	if c.failure(clone) == 0 {
		return failure
	}
	return clone
}

// FailureToError hands the converter a clone: the SDK's own decodes encrypted
// messages in place, and for a local activity that very message is already on
// its way to history.
func (f failureConverter) FailureToError(failure *failurepb.Failure) error {
	if failure == nil {
		return f.next.FailureToError(nil)
	}
	return f.next.FailureToError(proto.Clone(failure).(*failurepb.Failure))
}

// WithSerializationContext implements the SDK's optional interface.
func (f failureConverter) WithSerializationContext(ctx converter.SerializationContext) converter.FailureConverter {
	return failureConverter{g: f.g, next: converter.WithFailureConverterSerializationContext(f.next, ctx)}
}

// failure cleans f in place and returns how much it hid.
func (c cleaner) failure(f *failurepb.Failure) int {
	hits := 0
	for depth := 0; f != nil; depth++ {
		if depth == maxChain {
			// Longer chains are cut: nothing leaves that was not looked at.
			if f.GetCause() != nil {
				f.Cause, hits = &failurepb.Failure{Message: withheldText}, hits+1
			}
		}
		f.Message = c.counted(f.GetMessage(), &hits)
		f.StackTrace = c.counted(f.GetStackTrace(), &hits)
		f.Source = c.counted(f.GetSource(), &hits)
		if p, n, err := c.payload(f.GetEncodedAttributes()); err != nil {
			f.EncodedAttributes, hits = nil, hits+1
		} else {
			f.EncodedAttributes, hits = p, hits+n
		}
		c.failureInfo(f, &hits)
		f = f.GetCause()
	}
	return hits
}

func (c cleaner) failureInfo(f *failurepb.Failure, hits *int) {
	switch info := f.GetFailureInfo().(type) {
	case *failurepb.Failure_ApplicationFailureInfo:
		app := info.ApplicationFailureInfo
		app.Type = c.counted(app.GetType(), hits)
		c.payloads(app.GetDetails(), hits)
	case *failurepb.Failure_CanceledFailureInfo:
		c.payloads(info.CanceledFailureInfo.GetDetails(), hits)
	case *failurepb.Failure_TimeoutFailureInfo:
		c.payloads(info.TimeoutFailureInfo.GetLastHeartbeatDetails(), hits)
	case *failurepb.Failure_ResetWorkflowFailureInfo:
		c.payloads(info.ResetWorkflowFailureInfo.GetLastHeartbeatDetails(), hits)
	}
}

func (c cleaner) counted(s string, hits *int) string {
	out, n := c.text(s)
	*hits += n
	return out
}
