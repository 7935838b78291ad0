package sandboxhost

import (
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/sandboxguard/sandboxguard/internal/operation"
)

// TestResultSize has results of the default size stay below the limit that the server has for one payload, and those of
// commands, which come often, below that from which on the SDK warns of them.
func TestResultSize(t *testing.T) {
	const limit, warning, wrapper = 2 << 20, 512 << 10, 4 << 10 // what names, metadata and a codec add
	o, err := Options{Dir: t.TempDir()}.complete()
	if err != nil {
		t.Fatal(err)
	}
	if size := base64.StdEncoding.EncodedLen(o.MaxData) + wrapper; size > limit {
		t.Errorf("a file of the default size becomes %d bytes", size)
	}
	long := func() []byte {
		out := newOutput(nil, o.MaxOutput)
		_, _ = out.Write(make([]byte, 1<<20))
		kept, err := out.bytes()
		if err != nil || len(kept) < o.MaxOutput {
			t.Errorf("an output has %d bytes, %v", len(kept), err)
		}
		return kept
	}
	result, err := json.Marshal(operation.ExecResult{Stdout: long(), Stderr: long(), StdoutBytes: 1 << 20, StderrBytes: 1 << 20})
	if size := len(result) + wrapper; err != nil || size > warning {
		t.Errorf("two long outputs become %d bytes, %v", size, err)
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
