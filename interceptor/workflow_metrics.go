package interceptor

import (
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/workflow"
)

// GetMetricsHandler hides values in the tags that workflow code sets.
func (o *workflowOutbound) GetMetricsHandler(ctx workflow.Context) client.MetricsHandler {
	return hidingMetrics{hidden: o.run.g.hidden, MetricsHandler: o.Next.GetMetricsHandler(ctx)}
}
