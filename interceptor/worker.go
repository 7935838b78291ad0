package interceptor

import (
	"context"
	"log/slog"

	sdkinterceptor "go.temporal.io/sdk/interceptor"
	sdklog "go.temporal.io/sdk/log"
	"go.temporal.io/sdk/workflow"
)

// New returns the guard as a worker interceptor, for workers whose client cannot
// take the plugin. Put it last in worker.Options.Interceptors: the last one is
// the innermost around activities, so that no other interceptor sees a value.
//
// [NewPlugin] covers more: the client's own calls, the converters and loggers,
// and the order of interceptors. docs/threat-model.md lists what stays open with
// the interceptor alone.
//
// The error names every fault in opts at once. The interceptor is safe for use by
// several workers; Options.TaskQueue, where set, must cover all of them.
func New(opts Options) (sdkinterceptor.WorkerInterceptor, error) {
	g, err := newGuard(opts)
	if err != nil {
		return nil, err
	}
	g.log.offer(sdklog.NewStructuredLogger(slog.Default()))
	if opts.TaskQueue != "" {
		policy, ok := g.policyFor("", opts.TaskQueue)
		if !ok {
			return nil, g.errNotStarted(opts.TaskQueue)
		}
		// Which activities the worker runs is not known here, perhaps none of these.
		if without := g.withoutProvider(policy, func(string) bool { return true }); len(without) > 0 {
			g.log.Error("the policy grants secrets of providers that this worker does not have: attempts that need them fail",
				"queue", opts.TaskQueue, "secrets", describeProviders(without), "fix", fixProviders(policy))
		}
	}
	return &workerGuard{g: g, queue: opts.TaskQueue, workflows: true, activities: true}, nil
}

// A workerGuard is the guard at one place in a worker's list of interceptors.
// The plugin uses two, since the innermost place around workflow calls is the
// first in the list and around activities the last.
type workerGuard struct {
	sdkinterceptor.InterceptorBase
	g                     *guard
	queue                 string
	workflows, activities bool
	// ordered is true when the plugin has checked that nothing stands inside.
	ordered bool
}

// InterceptWorkflow implements the SDK's WorkerInterceptor.
func (w *workerGuard) InterceptWorkflow(ctx workflow.Context, next sdkinterceptor.WorkflowInboundInterceptor) sdkinterceptor.WorkflowInboundInterceptor {
	if !w.workflows {
		return next
	}
	i := &workflowInbound{ctx: ctx, run: newRun(w.g, ctx)}
	// The plugin's copy is the outermost around what comes in, unless a place
	// further out was allowed.
	i.run.outermost = !w.activities && len(w.g.allowInside) == 0
	i.Next = next
	return i
}

// InterceptActivity implements the SDK's WorkerInterceptor.
func (w *workerGuard) InterceptActivity(ctx context.Context, next sdkinterceptor.ActivityInboundInterceptor) sdkinterceptor.ActivityInboundInterceptor {
	if !w.activities {
		return next
	}
	i := &activityInbound{g: w.g, queue: w.queue, ctx: ctx}
	if !w.ordered {
		i.inside = w.g.foreignInside(next)
	}
	i.Next = next
	return i
}

// InterceptNexusOperation implements the SDK's WorkerInterceptor.
func (w *workerGuard) InterceptNexusOperation(ctx context.Context, next sdkinterceptor.NexusOperationInboundInterceptor) sdkinterceptor.NexusOperationInboundInterceptor {
	if !w.activities {
		return next
	}
	i := &nexusInbound{g: w.g, queue: w.queue}
	i.Next = next
	return i
}
