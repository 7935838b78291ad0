package interceptor

import (
	"go.temporal.io/sdk/client"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// countForeign counts the values that a job put out and was not given.
func countForeign(h client.MetricsHandler, queue string, of *redact.Holder) {
	if _, foreign := of.Hits(); foreign > 0 {
		h.WithTags(map[string]string{"queue": queue}).Counter(metricForeign).Inc(int64(foreign)) //nolint:gosec // a count
	}
}

// hidingMetrics hides values in the tags that an activity sets.
type hidingMetrics struct {
	client.MetricsHandler
	hidden *redact.Set
}

func (h hidingMetrics) WithTags(tags map[string]string) client.MetricsHandler {
	clean := make(map[string]string, len(tags))
	for k, v := range tags {
		k, _ = h.hidden.String(k)
		clean[k], _ = h.hidden.String(v)
	}
	return hidingMetrics{MetricsHandler: h.MetricsHandler.WithTags(clean), hidden: h.hidden}
}
