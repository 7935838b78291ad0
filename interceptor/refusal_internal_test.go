package interceptor

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/sdkmethods"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/validation"
)

// history stands for what the SDK has recorded, and records.
type history struct {
	sdkinterceptor.WorkflowOutboundInterceptorBase
	replaying bool
	versions  map[string]workflow.Version
	effects   []*commonpb.Payloads
	asked     []string
	played    int
}

func (h *history) IsReplaying(workflow.Context) bool { return h.replaying }

func (h *history) GetInfo(workflow.Context) *workflow.Info {
	return &workflow.Info{TaskQueueName: "q", WorkflowType: workflow.Type{Name: "Flow"}}
}

func (h *history) GetVersion(_ workflow.Context, id string, lowest, _ workflow.Version) workflow.Version {
	h.asked = append(h.asked, id)
	if !h.replaying {
		h.versions[id] = lowest
	}
	if v, ok := h.versions[id]; ok {
		return v
	}
	return workflow.DefaultVersion
}

func (h *history) SideEffect(ctx workflow.Context, f func(workflow.Context) any) converter.EncodedValue {
	if !h.replaying {
		p, err := converter.GetDefaultDataConverter().ToPayloads(f(ctx))
		if err != nil {
			panic(err)
		}
		h.effects = append(h.effects, p)
		return client.NewValue(p)
	}
	h.played++
	return client.NewValue(h.effects[h.played-1])
}

func testRun(t *testing.T) *run {
	t.Helper()
	p, err := validation.ParsePolicies("policy.yaml", []byte("version: 1\ndefault: {mode: enforce}\n"))
	if err != nil {
		t.Fatal(err)
	}
	unknown := sdkmethods.Unknown(nil)
	g, err := newGuard(Options{Policies: p, Audit: audit.Discard(), Unguarded: unknown, Now: func() time.Time { return time.Time{} }})
	if err != nil {
		t.Fatal(err)
	}
	return newRun(g, nil)
}

// A step of a run: a call on a channel and what policy would say of it now.
type decided struct {
	channel channel
	refuse  bool
}

func decideAll(t *testing.T, h *history, steps []decided, mayAsk bool) (outcomes []string) {
	t.Helper()
	r := testRun(t)
	for _, s := range steps {
		err := r.decide(nil, h, s.channel, func() (refusal, bool) {
			if !mayAsk {
				t.Error("policy was asked on replay")
			}
			return refusal{Subject: "it was refused", Queue: "q", Policy: "0a1b2c3d", Violations: []validation.Violation{
				validation.NewViolation(validation.RuleLiteralCredential, "/0/token"),
			}}, s.refuse
		})
		text := "sent"
		var app *temporal.ApplicationError
		if errors.As(err, &app) {
			text = app.Message()
		}
		outcomes = append(outcomes, text)
	}
	return outcomes
}

// TestReplayAsksTheRecordOnly: what was refused is refused again with the same error,
// what went out goes out, whatever policy says by then; an allowed call records
// nothing; every call is counted and looked up, whatever it carries today.
func TestReplayAsksTheRecordOnly(t *testing.T) {
	steps := []decided{
		{channelActivity, false},
		{channelActivity, false},
		{channelActivity, true},
		{channelMemo, true},
		{channelActivity, false},
		{channelActivity, true},
	}
	live := &history{versions: map[string]workflow.Version{}}
	first := decideAll(t, live, steps, true)
	want := map[string]workflow.Version{"sbx/a3": 2, "sbx/m1": 2, "sbx/a5": 2}
	if diff := cmp.Diff(want, live.versions); diff != "" {
		t.Errorf("markers (-want +got):\n%s", diff)
	}
	if len(live.effects) != 3 {
		t.Errorf("%d side effects", len(live.effects))
	}
	for _, opposite := range []bool{false, true} {
		later := append([]decided(nil), steps...)
		for i := range later {
			later[i].refuse = opposite
		}
		replay := &history{replaying: true, versions: live.versions, effects: live.effects}
		if diff := cmp.Diff(first, decideAll(t, replay, later, false)); diff != "" {
			t.Errorf("policy refuses %v (-live +replay):\n%s", opposite, diff)
		}
		if diff := cmp.Diff([]string{"sbx/a1", "sbx/a2", "sbx/a3", "sbx/m1", "sbx/a4", "sbx/a5"}, replay.asked); diff != "" {
			t.Errorf("looked up (-want +got):\n%s", diff)
		}
	}
}

// TestHistoriesWithoutTheGuard: nothing is found, everything goes out.
func TestHistoriesWithoutTheGuard(t *testing.T) {
	replay := &history{replaying: true, versions: map[string]workflow.Version{}}
	got := decideAll(t, replay, []decided{{channelActivity, true}, {channelChild, true}}, false)
	if diff := cmp.Diff([]string{"sent", "sent"}, got); diff != "" || replay.played != 0 {
		t.Errorf("outcomes (-want +got):\n%s", diff)
	}
}

// TestUnreadableRecord: the call stays refused, though why is lost.
func TestUnreadableRecord(t *testing.T) {
	replay := &history{
		replaying: true, versions: map[string]workflow.Version{"sbx/a1": 2},
		effects: []*commonpb.Payloads{{Payloads: []*commonpb.Payload{{Data: []byte("no JSON")}}}},
	}
	got := decideAll(t, replay, []decided{{channelActivity, false}}, false)
	if len(got) != 1 || got[0] == "sent" {
		t.Errorf("outcomes %v", got)
	}
}

// TestViolationsOfForeignErrors: nil for what is no refusal of the guard's.
func TestViolationsOfForeignErrors(t *testing.T) {
	ref := refusal{Subject: "s", Violations: []validation.Violation{validation.NewViolation(validation.RuleQueueUnlisted, "")}}
	for name, tc := range map[string]struct {
		err     error
		refused bool
		n       int
	}{
		"nil":             {nil, false, 0},
		"plain":           {errors.New("x"), false, 0},
		"canceled":        {context.Canceled, false, 0},
		"other type":      {temporal.NewApplicationError("m", "Other", ref), false, 0},
		"outage":          {temporal.NewApplicationError("m", ErrorTypeSecretUnavailable), false, 0},
		"audit outage":    {temporal.NewApplicationError("m", ErrorTypeAuditUnavailable), false, 0},
		"refusal":         {ref.err(ErrorTypePolicyViolation), true, 1},
		"wrapped":         {temporal.NewApplicationErrorWithCause("m", "Other", ref.err(ErrorTypeSecretNotGranted)), true, 1},
		"without details": {temporal.NewApplicationError("m", ErrorTypeOutputWithheld), true, 0},
	} {
		if IsRefused(tc.err) != tc.refused || len(Violations(tc.err)) != tc.n {
			t.Errorf("%s: refused %v, %d violations", name, IsRefused(tc.err), len(Violations(tc.err)))
		}
	}
}

// TestReadersLeaveNoTrace: queries and validators run beside the run, and are not
// replayed.
func TestReadersLeaveNoTrace(t *testing.T) {
	r := testRun(t)
	h := &history{versions: map[string]workflow.Version{}}
	r.readOnly = true
	err := r.decide(nil, h, channelContinue, func() (refusal, bool) {
		return refusal{Subject: "no", Violations: []validation.Violation{validation.NewViolation(validation.RuleLiteralCredential, "/0")}}, true
	})
	if !IsRefused(err) || len(h.versions)+len(h.effects) != 0 || len(r.ordinals) != 0 {
		t.Errorf("%v, markers %v, %d side effects, counted %v", err, h.versions, len(h.effects), r.ordinals)
	}
}
