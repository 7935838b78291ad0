package interceptor

import (
	"context"

	"github.com/nexus-rpc/sdk-go/nexus"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
)

// nexusInbound hides values in what a Nexus operation handler of this worker
// answers: its answer stands in the caller's history. Handlers get no secrets, and
// the caller is no job of this worker, so that markers show no names.
type nexusInbound struct {
	sdkinterceptor.NexusOperationInboundInterceptorBase
	g     *guard
	queue string
}

func (n *nexusInbound) StartOperation(ctx context.Context, in sdkinterceptor.NexusStartOperationInput) (nexus.HandlerStartOperationResult[any], error) {
	result, err := n.Next.StartOperation(ctx, in)
	c, done := n.cleaner()
	defer done()
	if err != nil {
		return result, n.g.cleanError(err, c)
	}
	switch answer := result.(type) {
	case *nexus.HandlerStartOperationResultAsync:
		if n.g.hidden.ContainsString(answer.OperationToken) {
			return nil, errToken()
		}
	// An answer that is there already has the operation's own type.
	case interface{ ValueAsAny() any }:
		out, hits, failure := c.value(answer.ValueAsAny())
		if failure != nil {
			return nil, errorWithheld()
		}
		if hits > 0 {
			return &nexus.HandlerStartOperationResultSync[any]{Value: out}, nil
		}
	}
	return result, nil
}

func (n *nexusInbound) CancelOperation(ctx context.Context, in sdkinterceptor.NexusCancelOperationInput) error {
	c, done := n.cleaner()
	defer done()
	return n.g.cleanError(n.Next.CancelOperation(ctx, in), c)
}

// cleaner returns what cleans an answer; done counts what was in it.
func (n *nexusInbound) cleaner() (c cleaner, done func()) {
	nobody := n.g.hidden.NewHolder()
	return n.g.cleaner("", n.queue, nobody), func() { countForeign(n.g.meter(), n.queue, nobody) }
}

// errToken refuses an operation's token that holds a value. A token is an
// identifier: the caller sends it back to cancel the operation, so that one that is
// edited names nothing.
func errToken() error {
	return temporal.NewNonRetryableApplicationError(ErrorTypeOutputWithheld+
		": the answer of a Nexus operation was withheld, the operation has begun (not retryable)\n"+
		"  /operation_token  literal-credential  must not hold a secret that this worker resolves: names are not hidden\n"+
		"  fix: make the token from something else\n  docs/errors.md#literal-credential", ErrorTypeOutputWithheld, nil)
}
