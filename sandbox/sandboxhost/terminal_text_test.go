package sandboxhost_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
)

// payloadLimit is the most that servers take as the result of an activity, unless they are told otherwise.
const payloadLimit = 2 << 20

// TestTerminalBytes tells what is no text at a terminal in an answer that servers take: each byte becomes a character of
// three.
func TestTerminalBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		state := r.create(sandbox.Manifest{})
		r.fake.Handle("bytes", func(_ context.Context, cmd backend.Command) int {
			_, _ = cmd.Stdout.Write([]byte(strings.Repeat("\xff", 1<<20)))
			return 0
		})
		answer, err := call[json.RawMessage](r, owner, operation.PTYExec, operation.PTYExecArgs{State: state, Command: []string{"bytes"}, TTY: true})
		if err != nil || len(answer) > payloadLimit/2 {
			t.Errorf("an answer of %d bytes, %v", len(answer), err)
		}
	})
}

// TestTerminalCharacter tells a character whole whose bytes come with two answers.
func TestTerminalCharacter(t *testing.T) {
	for name, w := range map[string]who{"without a guard": owner, "with a guard": {workflow: "w", run: "run-1", binder: newBinder(t, nil)}} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			state := r.create(sandbox.Manifest{})
			more := make(chan struct{})
			r.fake.Handle("halves", func(_ context.Context, cmd backend.Command) int {
				for _, part := range []string{"caf\xc3", "\xa9 \xc3"} {
					_, _ = cmd.Stdout.Write([]byte(part))
					<-more
				}
				return 0
			})
			id, first := r.opened(w, state, "halves")
			more <- struct{}{}
			second, err := r.press(w, state, id, "")
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			more <- struct{}{}
			last, err := r.press(w, state, id, "")
			got := []string{string(first.Output), string(second.Output), string(last.Output)}
			if diff := cmp.Diff([]string{"caf", "é ", "\ufffd"}, got); diff != "" || err != nil {
				t.Errorf("%s: %v\n%s", name, err, diff)
			}
		})
	}
}
