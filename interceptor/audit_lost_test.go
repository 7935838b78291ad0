package interceptor_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// announcing tells of each count of one metric.
type announcing struct {
	client.MetricsHandler
	name string
	told chan int64
}

func (a announcing) WithTags(tags map[string]string) client.MetricsHandler {
	return announcing{a.MetricsHandler.WithTags(tags), a.name, a.told}
}

func (a announcing) Counter(name string) client.MetricsCounter {
	if name != a.name {
		return a.MetricsHandler.Counter(name)
	}
	return told(a.told)
}

type told chan int64

func (c told) Inc(n int64) { c <- n }

// TestLostRecordsAreCounted: a record that nobody waits for and that the sink did
// not take shows in a metric.
func TestLostRecordsAreCounted(t *testing.T) {
	opts := options(t, "")
	opts.Audit = audit.SinkFunc(func(context.Context, audit.Record) error { return errors.New("full") })
	lost := make(chan int64, 8)
	r := newRig(t, opts)
	r.client.MetricsHandler = announcing{client.MetricsNopHandler, "sandboxguard_audit_lost", lost}
	r.configure(t)
	if _, err := r.start(t.Context()); err != nil { // which leaves a record
		t.Fatal(err)
	}
	select {
	case n := <-lost:
		if n != 1 {
			t.Errorf("counted %d", n)
		}
	case <-time.After(10 * time.Second):
		t.Error("nothing was counted")
	}
}
