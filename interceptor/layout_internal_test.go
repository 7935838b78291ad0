package interceptor

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMarkerLayout pins what docs/design.md promises of recorded histories. A
// change of any of these breaks the replay of every run that has such a refusal.
func TestMarkerLayout(t *testing.T) {
	want := map[string]channel{
		"w": channelStart, "r": channelResult, "u": channelUpdate, "a": channelActivity, "l": channelLocalActivity, "c": channelChild,
		"k": channelContinue, "s": channelSignal, "x": channelCancel, "m": channelMemo, "t": channelSearch, "n": channelNexus,
	}
	got := map[string]channel{}
	for id, ch := range want {
		got[id] = ch
		if string(ch) != id {
			t.Errorf("channel %q is recorded as %q", id, ch)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 12 || markerPrefix != "sbx/" || maxCode != 1<<15 {
		t.Errorf("layout (-want +got):\n%s", diff)
	}
}
