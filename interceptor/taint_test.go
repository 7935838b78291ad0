package interceptor_test

import (
	"context"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// TestTaintedStart: a start input is durable before any hook runs, so it is
// recorded, and ends the run only where Options.FailTainted says so.
func TestTaintedStart(t *testing.T) {
	for _, tc := range []struct {
		name    string
		entry   string
		fail    bool
		in      note
		header  string
		fails   bool
		records int
	}{
		{name: "clean", fail: true, in: note{Text: "hello"}},
		{name: "recorded", in: note{Text: githubToken}, records: 1},
		{name: "failed", fail: true, in: note{Text: githubToken}, fails: true, records: 1},
		{name: "literals reported", entry: "literals: report\n", fail: true, in: note{Text: githubToken}, records: 1},
		{name: "literals off", entry: "literals: off\n", fail: true, in: note{Text: githubToken}},
		{name: "header", fail: true, header: githubToken, fails: true, records: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, tc.entry)
			opts.FailTainted = tc.fail
			env := environment(t, opts)
			if tc.header != "" {
				p, err := converter.GetDefaultDataConverter().ToPayload(tc.header)
				if err != nil {
					t.Fatal(err)
				}
				env.SetHeader(&commonpb.Header{Fields: map[string]*commonpb.Payload{"trace": p}})
			}
			ran := false
			err := run(t, env, func(workflow.Context, note) error { ran = true; return nil }, tc.in)
			if tc.fails {
				wantRules(t, err, "literal-credential")
			} else if err != nil {
				t.Error(err)
			}
			if ran == tc.fails {
				t.Errorf("workflow code ran: %v", ran)
			}
			sink := opts.Audit.(*memorySink)
			sink.await(t, tc.records)
			if got := sink.actions()[audit.ActionTaint]; got != tc.records {
				t.Errorf("%d taint records, want %d", got, tc.records)
			}
		})
	}
}

func TestTaintedSignal(t *testing.T) {
	for _, fail := range []bool{false, true} {
		opts := options(t, "")
		opts.FailTainted = fail
		env := environment(t, opts)
		env.RegisterActivityWithOptions(func(context.Context, note) error { return nil }, named("Note"))
		env.RegisterDelayedCallback(func() { env.SignalWorkflow("greet", note{Text: githubToken}) }, time.Second)
		var after error
		err := run(t, env, func(ctx workflow.Context) error {
			var in note
			workflow.GetSignalChannel(ctx, "greet").Receive(ctx, &in)
			after = workflow.ExecuteActivity(options60(ctx), "Note", note{Text: "clean"}).Get(ctx, nil)
			return nil
		})
		if !fail {
			if err != nil || after != nil {
				t.Errorf("recorded only: %v, later call %v", err, after)
			}
			continue
		}
		wantRules(t, err, "literal-credential")
		if !guard.IsRefused(after) {
			t.Errorf("a tainted run went on calling: %v", after)
		}
	}
}
