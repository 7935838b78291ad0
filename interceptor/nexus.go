package interceptor

import (
	"context"

	"github.com/nexus-rpc/sdk-go/nexus"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
)

// nexusInbound hides values in what a Nexus operation handler of this worker
// answers: its answer stands in the caller's history. Handlers get no secrets.
type nexusInbound struct {
	sdkinterceptor.NexusOperationInboundInterceptorBase
	g     *guard
	queue string
}

func (n *nexusInbound) StartOperation(ctx context.Context, in sdkinterceptor.NexusStartOperationInput) (nexus.HandlerStartOperationResult[any], error) {
	result, err := n.Next.StartOperation(ctx, in)
	c := n.g.cleaner("", n.queue)
	if err != nil {
		return result, n.g.cleanError(err, c)
	}
	// Only answers that are there already hold a value; it has the operation's
	// own type.
	sync, ok := result.(interface{ ValueAsAny() any })
	if !ok {
		return result, nil
	}
	out, hits, failure := c.value(sync.ValueAsAny())
	if failure != nil {
		return nil, errorWithheld()
	}
	if hits == 0 {
		return result, nil
	}
	return &nexus.HandlerStartOperationResultSync[any]{Value: out}, nil
}

func (n *nexusInbound) CancelOperation(ctx context.Context, in sdkinterceptor.NexusCancelOperationInput) error {
	return n.g.cleanError(n.Next.CancelOperation(ctx, in), n.g.cleaner("", n.queue))
}
