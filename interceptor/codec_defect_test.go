package interceptor_test

import (
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// TestScanCodecCountsDefects: a hit of the net in a user's own list of codecs is
// counted by the plugin that shares its set.
func TestScanCodecCountsDefects(t *testing.T) {
	opts := options(t, "")
	opts.Hidden = knowing(t, canary)
	codec := guard.ScanCodec(opts.Hidden) // made first, as in the guide
	r := newRig(t, opts)
	metrics := newCounters()
	r.client.MetricsHandler = metrics
	r.client.DataConverter = converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), codec)
	r.configure(t)
	for _, text := range []string{"plain", "says " + canary} {
		if _, err := codec.Encode([]*commonpb.Payload{payloadOf(t, "json/plain", `"`+text+`"`)}); err != nil {
			t.Fatal(err)
		}
	}
	if got := metrics.count("sandboxguard_defects net=codec"); got != 1 {
		t.Errorf("%d defects, want 1\n%v", got, metrics.seen)
	}
}
