package interceptor

import (
	"sync/atomic"

	"go.temporal.io/sdk/client"

	"github.com/sandboxguard/sandboxguard/secrets/redact"
)

// countForeign counts the values that a job put out and was not given.
func countForeign(h client.MetricsHandler, queue string, of *redact.Holder) {
	if _, foreign := of.Hits(); foreign > 0 {
		h.WithTags(map[string]string{"queue": queue}).Counter(metricForeign).Inc(int64(foreign)) //nolint:gosec // a count
	}
}

// countRetained says how many values are kept only to be found in late output, none
// included, and how many were forgotten early because there were too many of them.
func (g *guard) countRetained() {
	kept, dropped := g.hidden.Retained()
	if g.retained.Swap(int64(kept)) != int64(kept) {
		g.meter().Gauge(metricRetained).Update(float64(kept))
	}
	g.dropped.count(g.meter(), metricDropped, dropped)
}

// countFailures counts the texts that were withheld because searching them failed.
func (g *guard) countFailures() { g.failures.count(g.meter(), metricFailures, g.hidden.Failures()) }

// A tally turns a total that only grows into a counter. It is safe for concurrent use.
type tally struct{ told atomic.Uint64 }

func (t *tally) count(h client.MetricsHandler, metric string, total uint64) {
	for told := t.told.Load(); told < total; told = t.told.Load() {
		if t.told.CompareAndSwap(told, total) {
			h.Counter(metric).Inc(int64(total - told)) //nolint:gosec // a count
		}
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
