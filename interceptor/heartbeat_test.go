package interceptor_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// beats records what heartbeats carry to the server.
type beats struct {
	mu  sync.Mutex
	raw [][]string
}

func (b *beats) listen(_ *activity.Info, details converter.EncodedValues) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var one []string
	for _, p := range converter.GetPayloads(details).GetPayloads() {
		one = append(one, string(p.GetData()))
	}
	b.raw = append(b.raw, one)
}

// TestHeartbeatsAreClean: details stand in mutable state, in Describe and in the
// failure of a timeout.
func TestHeartbeatsAreClean(t *testing.T) {
	for _, tc := range []struct {
		name    string
		details func(s string) []any
		want    []string
	}{
		{"text", func(s string) []any { return []any{"at " + s} }, []string{`"at [redacted:deploy]"`}},
		{"several", func(s string) []any { return []any{1, map[string]any{"t": s}, nil} }, []string{"1", `{"t":"[redacted:deploy]"}`, ""}},
		{"none", func(string) []any { return nil }, nil},
		{"binary", func(s string) []any { return []any{append([]byte{0xff}, s...)} }, []string{`"[withheld: could not be searched for secrets]"`}},
		{"literal", func(string) []any { return []any{"x " + githubToken} }, []string{`"x [redacted:literal]"`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := attempts(t, options(t, bindReplace))
			var b beats
			env.SetOnActivityHeartbeatListener(b.listen)
			if _, err := attemptIn(env, func(ctx context.Context, in tagInput) error {
				activity.RecordHeartbeat(ctx, tc.details(in.Token)...)
				return nil
			}, tagInput{}); err != nil {
				t.Fatal(err)
			}
			if len(b.raw) != 1 {
				t.Fatalf("%d heartbeats", len(b.raw))
			}
			if diff := cmp.Diff(tc.want, b.raw[0]); diff != "" {
				t.Errorf("details (-want +got):\n%s", diff)
			}
			for _, d := range b.raw[0] {
				secretstest.AssertAbsent(t, []string{canary, githubToken}, []byte(d))
			}
		})
	}
}

// TestHeartbeatIsNotWrittenTo: the activity's own progress stays as it is.
func TestHeartbeatIsNotWrittenTo(t *testing.T) {
	progress := map[string]any{}
	if _, err := attempt(t, options(t, bindReplace), func(ctx context.Context, in tagInput) error {
		progress["t"] = in.Token
		activity.RecordHeartbeat(ctx, progress)
		return nil
	}, tagInput{}); err != nil {
		t.Fatal(err)
	}
	if progress["t"] != canary {
		t.Errorf("progress %v", progress)
	}
}
