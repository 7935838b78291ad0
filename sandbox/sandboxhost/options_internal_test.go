package sandboxhost

import (
	"encoding/base64"
	"testing"
)

// TestResultSize has results of the default size stay below the limit that the server has for one payload.
func TestResultSize(t *testing.T) {
	const limit, wrapper = 2 << 20, 4 << 10 // what names, metadata and a codec add
	o, err := Options{Dir: t.TempDir()}.complete()
	if err != nil {
		t.Fatal(err)
	}
	if size := base64.StdEncoding.EncodedLen(o.MaxData) + wrapper; size > limit {
		t.Errorf("a file of the default size becomes %d bytes", size)
	}
	if size := 2*base64.StdEncoding.EncodedLen(o.MaxOutput) + wrapper; size > limit {
		t.Errorf("outputs of the default size become %d bytes", size)
	}
}

// TestWorkerSlots leaves slots of the worker to what ends something, however many commands and transfers there are.
func TestWorkerSlots(t *testing.T) {
	for concurrent := 2; concurrent <= 10_000; concurrent *= 2 {
		reserved := reserved(concurrent)
		s := newSlots(concurrent, reserved)
		taken := cap(s.commands) + cap(s.transfers) + cap(s.waiting)
		if left := workerSlots(concurrent) - taken; left < concurrent+reserved {
			t.Errorf("%d of %d slots are left", left, workerSlots(concurrent))
		}
	}
}
