package sandboxhost_test

import (
	"bytes"
	"context"
	"runtime"
	"testing"

	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestMuchOutput checks that output passes through a host, which looks for secrets in it, without staying in its memory.
func TestMuchOutput(t *testing.T) {
	const size, most = 64 << 20, 8 << 20
	token := secretstest.Canary(t)
	w := owner
	w.binder = newBinder(t, map[string]string{"env:PROD_TOKEN": token})
	// The workspace of the fake is in memory, too.
	r := newRig(t, func(o *sandboxhost.Options) { o.MaxSpool = -1 })
	state := r.create(withToken())
	part := bytes.Repeat([]byte("0123456789abcde\n"), 2048)
	r.fake.Handle("much", func(_ context.Context, cmd backend.Command) int {
		for range size / len(part) {
			_, _ = cmd.Stdout.Write(part)
		}
		return 0
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, err := r.exec(w, state, "much")
	runtime.ReadMemStats(&after)
	if err != nil || out.StdoutBytes != size {
		t.Errorf("%d bytes of %d, %v", out.StdoutBytes, size, err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > most {
		t.Errorf("%d bytes were allocated for %d of output, want %d at most", grown, size, most)
	}
}
