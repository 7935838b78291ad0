package integration_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/redact"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// courier hands a text to everything that a converter encodes in a workflow. What
// comes back decides nothing but the result: a codec that edits changes it.
func courier(ctx workflow.Context, text string, last bool) ([]string, error) {
	retry := &temporal.RetryPolicy{MaximumAttempts: 1}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: patience, RetryPolicy: retry, Summary: text})
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: patience, RetryPolicy: retry})
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{Memo: map[string]any{"note": text}, StaticSummary: text})
	var got []string
	hear := func(name string, value converter.EncodedValue) error {
		var heard string
		if err := value.Get(&heard); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		got = append(got, heard)
		return nil
	}
	await := func(f workflow.Future) error {
		var heard string
		err := f.Get(ctx, &heard)
		got = append(got, heard)
		return err
	}
	failed := func(f workflow.Future) error {
		var failure *temporal.ApplicationError
		if err := f.Get(ctx, nil); !errors.As(err, &failure) {
			return fmt.Errorf("want a failure, got %w", err)
		}
		return nil
	}
	same := func(a, b any) bool { return a == b }
	errs := []error{
		hear("side effect", workflow.SideEffect(ctx, func(workflow.Context) any { return text })),
		hear("first", workflow.MutableSideEffect(ctx, "m", func(workflow.Context) any { return text }, same)),
		hear("second", workflow.MutableSideEffect(ctx, "m", func(workflow.Context) any { return text }, same)),
		workflow.UpsertMemo(ctx, map[string]any{"note": text}),
	}
	if err := await(workflow.ExecuteActivity(ctx, "Repeat", text, false)); err != nil {
		return nil, err
	}
	if err := await(workflow.ExecuteLocalActivity(ctx, "Repeat", text, false)); err != nil {
		return nil, err
	}
	errs = append(errs, failed(workflow.ExecuteActivity(ctx, "Repeat", text, true)), failed(workflow.ExecuteLocalActivity(ctx, "Repeat", text, true)))
	child := workflow.ExecuteChildWorkflow(ctx, "Listen", text)
	errs = append(errs, child.SignalChildWorkflow(ctx, "note", text).Get(ctx, nil))
	if err := await(child); err != nil {
		return nil, err
	}
	errs = append(errs, workflow.NewTimerWithOptions(ctx, time.Millisecond, workflow.TimerOptions{Summary: text}).Get(ctx, nil))
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	if !last {
		return nil, workflow.NewContinueAsNewError(ctx, "Courier", text, true)
	}
	return append(got, text), nil
}

// listen repeats what it is told.
func listen(ctx workflow.Context, _ string) (string, error) {
	var heard string
	workflow.GetSignalChannel(ctx, "note").Receive(ctx, &heard)
	return heard, nil
}

func registerCourier(r worker.WorkflowRegistry) {
	r.RegisterWorkflowWithOptions(courier, workflow.RegisterOptions{Name: "Courier"})
	r.RegisterWorkflowWithOptions(listen, workflow.RegisterOptions{Name: "Listen"})
}

// A post is a way to run the courier.
type post struct{ scan, guarded bool }

func (p post) String() string { return fmt.Sprintf("ScanCodec %v, guard %v", p.scan, p.guarded) }

var posts = []post{{false, false}, {true, false}, {false, true}, {true, true}}

// data is the data converter of the post; nil is the SDK's.
func (p post) data(hidden *redact.Set) converter.DataConverter {
	if !p.scan {
		return nil
	}
	return converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), guard.ScanCodec(hidden))
}

func (p post) options(t *testing.T, hidden *redact.Set) guard.Options {
	t.Helper()
	return guard.Options{Policies: policies(t, "version: 1\ndefault: {mode: report, literals: off}\n"), Hidden: hidden, Audit: &records{}}
}

// record runs the courier and returns the histories of all its runs.
func (p post) record(t *testing.T, hidden *redact.Set, text string) []*historypb.History {
	t.Helper()
	ctx, o := limited(t), client.Options{DataConverter: p.data(hidden)}
	if p.scan {
		o.FailureConverter = temporal.NewDefaultFailureConverter(temporal.DefaultFailureConverterOptions{DataConverter: o.DataConverter})
	}
	if p.guarded {
		o.Plugins = []client.Plugin{plugin(t, p.options(t, hidden))}
	}
	c, queue := server.Dial(t, o), harness.Queue(t)
	harness.Worker(t, c, queue, worker.Options{}, func(r worker.Registry) {
		registerCourier(r)
		r.RegisterActivityWithOptions(func(_ context.Context, text string, fail bool) (string, error) {
			if fail {
				return "", temporal.NewApplicationError("failed", "Failed", text)
			}
			return text, nil
		}, activity.RegisterOptions{Name: "Repeat"})
	})
	// Somebody else starts it: the text has to come to it as it is.
	run, err := server.Dial(t, client.Options{}).ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: queue, TaskQueue: queue}, "Courier", text, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Get(ctx, nil); err != nil {
		t.Fatal(err)
	}
	family, err := harness.Family(ctx, c, queue, "")
	if err != nil {
		t.Fatal(err)
	}
	var all []*historypb.History
	for _, member := range family {
		all = append(all, member.History)
	}
	return all
}

// replay replays a history in the way of the post.
func (p post) replay(t *testing.T, hidden *redact.Set, h *historypb.History) error {
	t.Helper()
	o := harness.ReplayOptions{Replayer: worker.WorkflowReplayerOptions{DataConverter: p.data(hidden)}}
	if p.guarded {
		o.Replayer.Plugins = []worker.Plugin{plugin(t, p.options(t, hidden))}
	}
	return harness.Replay(h, o, registerCourier)
}

// TestScanCodecCanComeAndGo records a program that encodes a hidden value wherever it
// can, with and without the net and the guard, and replays every history in all
// four ways. The SDK encodes again when it replays, and compares what comes of it
// with nothing: a codec that edits passes. One that refuses does not, which shows
// that the net is asked.
func TestScanCodecCanComeAndGo(t *testing.T) {
	t.Parallel()
	for _, recorded := range posts {
		t.Run(strings.ReplaceAll(recorded.String(), ", ", "/"), func(t *testing.T) {
			t.Parallel()
			hidden, text := redact.NewSet(), secretstest.Canary(t)
			if err := hidden.Add("canary", text); err != nil {
				t.Fatal(err)
			}
			runs := recorded.record(t, hidden, text)
			if len(runs) < 4 { // two of the courier, each with a listener
				t.Fatalf("%d runs were recorded, want 4", len(runs))
			}
			for i, h := range runs {
				var held []string
				for _, e := range h.GetEvents()[1:] {
					for _, hit := range harness.Search(text, event(t, e)) {
						held = append(held, hit.String())
					}
				}
				if nets := recorded.scan || recorded.guarded; nets && len(held) > 0 {
					t.Errorf("run %d holds the value after its start: %v", i+1, held)
				} else if !nets && len(held) == 0 {
					t.Errorf("run %d does not hold the value after its start: it is no test of the net", i+1)
				}
				for _, replayed := range posts {
					if err := replayed.replay(t, hidden, h); err != nil {
						t.Errorf("run %d, replayed with %v: %v", i+1, replayed, err)
					}
				}
			}
			refusing := worker.WorkflowReplayerOptions{DataConverter: converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), refusingCodec{})}
			if err := harness.Replay(runs[0], harness.ReplayOptions{Replayer: refusing}, registerCourier); err == nil {
				t.Error("a codec that refuses everything passes a replay: nothing was encoded")
			}
		})
	}
}

// refusingCodec encodes nothing.
type refusingCodec struct{}

func (refusingCodec) Encode([]*commonpb.Payload) ([]*commonpb.Payload, error) {
	return nil, errors.New("refused")
}

func (refusingCodec) Decode(in []*commonpb.Payload) ([]*commonpb.Payload, error) { return in, nil }
