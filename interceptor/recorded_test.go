package interceptor_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// TestSideEffectsAreCleaned: a side effect cannot fail, so credentials in what it
// records are hidden; workflow code reads back what was recorded.
func TestSideEffectsAreCleaned(t *testing.T) {
	equal := func(a, b any) bool { return a == b }
	for _, tc := range []struct {
		name string
		call func(ctx workflow.Context, f func(workflow.Context) any) converter.EncodedValue
	}{
		{"SideEffect", workflow.SideEffect},
		{"SideEffectWithOptions", func(ctx workflow.Context, f func(workflow.Context) any) converter.EncodedValue {
			return workflow.SideEffectWithOptions(ctx, workflow.SideEffectOptions{Summary: "with " + githubToken}, f)
		}},
		{"MutableSideEffect", func(ctx workflow.Context, f func(workflow.Context) any) converter.EncodedValue {
			return workflow.MutableSideEffect(ctx, "id", f, equal)
		}},
		{"MutableSideEffectWithOptions", func(ctx workflow.Context, f func(workflow.Context) any) converter.EncodedValue {
			return workflow.MutableSideEffectWithOptions(ctx, "id", workflow.MutableSideEffectOptions{Summary: "with " + githubToken}, f, equal)
		}},
	} {
		for _, c := range []struct {
			name, entry, value, want string
		}{
			{"literal", "", "x " + githubToken, "x [redacted:literal]"},
			{"literals reported", "literals: report\n", "x " + githubToken, "x " + githubToken},
			{"plain", "", "plain", "plain"},
		} {
			t.Run(tc.name+"/"+c.name, func(t *testing.T) {
				inner := &spy{}
				env := environment(t, options(t, c.entry), inner)
				var read string
				if err := run(t, env, func(ctx workflow.Context) error {
					return tc.call(ctx, func(workflow.Context) any { return c.value }).Get(&read)
				}); err != nil {
					t.Fatal(err)
				}
				if read != c.want {
					t.Errorf("read %q, want %q", read, c.want)
				}
				recorded := inner.calls(tc.name)
				if len(recorded) != 1 || recorded[0].args[0] != any(c.want) {
					t.Errorf("recorded %v, want %q", recorded, c.want)
				}
				for _, s := range inner.calls("summary") {
					if want := "with [redacted:literal]"; c.entry == "" && s.args[0] != any(want) {
						t.Errorf("summary %q, want %q", s.args[0], want)
					}
				}
			})
		}
	}
}

// TestSideEffectsOfEveryShape: whatever the shape, the credential is hidden and
// the value decodes into what workflow code expects.
func TestSideEffectsOfEveryShape(t *testing.T) {
	type pair struct {
		A string            `json:"a"`
		M map[string]string `json:"m"`
	}
	env := environment(t, options(t, ""))
	in := pair{A: githubToken, M: map[string]string{githubToken: "key", "v": githubToken}}
	var got pair
	if err := run(t, env, func(ctx workflow.Context) error {
		return workflow.SideEffect(ctx, func(workflow.Context) any { return in }).Get(&got)
	}); err != nil {
		t.Fatal(err)
	}
	want := pair{A: "[redacted:literal]", M: map[string]string{"[redacted:literal]": "key", "v": "[redacted:literal]"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if in.A != githubToken || in.M["v"] != githubToken {
		t.Error("the workflow's own value was written to")
	}
}

// TestHidingInARecordIsLogged: nobody would find out otherwise.
func TestHidingInARecordIsLogged(t *testing.T) {
	for text, want := range map[string]int{githubToken: 1, "plain": 0} {
		core, logs := observer.New(zap.WarnLevel)
		opts := options(t, "")
		opts.Logger = zap.New(core)
		if err := run(t, environment(t, opts), func(ctx workflow.Context) error {
			var out string
			return workflow.SideEffect(ctx, func(workflow.Context) any { return text }).Get(&out)
		}); err != nil {
			t.Fatal(err)
		}
		if got := logs.FilterMessageSnippet("recorded value").Len(); got != want {
			t.Errorf("%d lines, want %d", got, want)
		}
	}
}

// TestMutableSideEffectComparesWhatWasRecorded: the comparison sees cleaned values
// on both sides, so an unchanged credential is not recorded again.
func TestMutableSideEffectComparesWhatWasRecorded(t *testing.T) {
	env := environment(t, options(t, ""))
	var seen [][2]any
	if err := run(t, env, func(ctx workflow.Context) error {
		for range 2 {
			workflow.MutableSideEffect(ctx, "id", func(workflow.Context) any { return githubToken }, func(a, b any) bool {
				seen = append(seen, [2]any{a, b})
				return a == b
			})
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 1 || seen[0][0] != seen[0][1] {
		t.Errorf("compared %v", seen)
	}
}

// TestTextsThatTheServerShows: summaries and descriptions are cleaned.
func TestTextsThatTheServerShows(t *testing.T) {
	text := "for " + githubToken
	for _, tc := range []struct {
		name, method string
		say          func(ctx workflow.Context) error
	}{
		{"timer", "summary", func(ctx workflow.Context) error {
			return workflow.NewTimerWithOptions(ctx, time.Second, workflow.TimerOptions{Summary: text}).Get(ctx, nil)
		}},
		{"await", "summary", func(ctx workflow.Context) error {
			_, err := workflow.AwaitWithOptions(ctx, workflow.AwaitOptions{
				Timeout: time.Second, TimerOptions: workflow.TimerOptions{Summary: text},
			}, func() bool { return false })
			return err
		}},
		{"signal channel", "description", func(ctx workflow.Context) error {
			workflow.GetSignalChannelWithOptions(ctx, "s", workflow.SignalChannelOptions{Description: text})
			return nil
		}},
		{"query handler", "description", func(ctx workflow.Context) error {
			return workflow.SetQueryHandlerWithOptions(ctx, "q", func() (string, error) { return "", nil }, workflow.QueryHandlerOptions{Description: text})
		}},
		{"update handler", "description", func(ctx workflow.Context) error {
			return workflow.SetUpdateHandlerWithOptions(ctx, "u", func(workflow.Context) error { return nil }, workflow.UpdateHandlerOptions{Description: text})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inner := &spy{}
			if err := run(t, environment(t, options(t, ""), inner), tc.say); err != nil && !errors.Is(err, workflow.ErrCanceled) {
				t.Fatal(err)
			}
			calls := inner.calls(tc.method)
			if len(calls) == 0 {
				t.Fatal("nothing was said")
			}
			for _, c := range calls {
				if c.args[0] != any("for [redacted:literal]") {
					t.Errorf("the server gets %v", c.args)
				}
			}
		})
	}
}
