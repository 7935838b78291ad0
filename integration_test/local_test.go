package integration_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// lent tells what a workflow's own object holds after a local activity had it.
type lent struct {
	Resolved bool   `json:"resolved"`
	Ref      string `json:"ref"`
	Empty    bool   `json:"empty"`
}

// lend hands a pointer to a local activity, which shares it with the workflow,
// and then to an ordinary one.
func lend(ctx workflow.Context) (lent, error) {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 10 * time.Second})
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: 10 * time.Second})
	tag := &legacy.Tag[secrets.Value]{Name: "v2", Token: secrets.Env("DEPLOY_TOKEN"), Notes: map[string]any{"n": 1}}
	if err := workflow.ExecuteLocalActivity(ctx, "Announce", tag).Get(ctx, nil); err != nil {
		return lent{}, err
	}
	after := lent{Resolved: tag.Token.Resolved(), Ref: tag.Token.Ref().String()}
	if err := workflow.ExecuteActivity(ctx, "PushTag", tag).Get(ctx, nil); err != nil {
		return lent{}, err
	}

	// The same with a binding, which fills an empty field on the worker.
	old := &legacy.Tag[string]{Name: "v2"}
	if err := workflow.ExecuteLocalActivity(ctx, "OldAnnounce", old).Get(ctx, nil); err != nil {
		return lent{}, err
	}
	after.Empty = old.Token == ""
	return after, workflow.ExecuteActivity(ctx, "OldPushTag", old).Get(ctx, nil)
}

// TestALocalActivitySharesNothing gives a pointer to a local activity, in which
// it is resolved. The workflow's own object must not be, and what a later
// activity is scheduled with must hold the reference.
func TestALocalActivitySharesNothing(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	r := newRig(t, "mode: enforce\ngrants:\n"+
		"  - {secret: deploy, to: {activity: Announce, input: /0/token}}\n  - {secret: deploy, to: {activity: PushTag, input: /0/token}}\n"+
		"  - {secret: deploy, to: {activity: OldAnnounce, input: /0/token}}\n  - {secret: deploy, to: {activity: OldPushTag, input: /0/token}}\n")
	now, old := &legacy.Seen{}, &legacy.Seen{}
	r.worker(t, func(w worker.Registry) {
		w.RegisterWorkflow(lend)
		legacy.RegisterActivities[secrets.Value](w, now)
		legacy.RegisterActivitiesAs[string](w, "Old", old)
	})
	var after lent
	if err := r.start(ctx, t, r.client, lend).Get(ctx, &after); err != nil {
		t.Fatal(err)
	}
	if want := (lent{Ref: ref, Empty: true}); after != want {
		t.Errorf("the workflow's own object is %+v afterwards, want %+v", after, want)
	}
	for _, got := range [][]string{
		now.Tokens("Announce"), now.Tokens("PushTag"), old.Tokens("OldAnnounce"), old.Tokens("OldPushTag"),
	} {
		if !slices.Equal(got, []string{r.secret}) {
			t.Errorf("an activity ran %d times, or without the secret", len(got))
		}
	}
	scheduled := inputs(t, r.family(ctx, t)[0].History, "PushTag")
	if len(scheduled) != 1 || !strings.Contains(scheduled[0], `"token":{"name":"DEPLOY_TOKEN","type":"temporal.worker_env_value"}`) &&
		!strings.Contains(scheduled[0], `"token":{"type":"temporal.worker_env_value","name":"DEPLOY_TOKEN"}`) {
		t.Errorf("PushTag was scheduled with %q, want the reference", scheduled)
	}
	if scheduled := inputs(t, r.family(ctx, t)[0].History, "OldPushTag"); len(scheduled) != 1 || !strings.Contains(scheduled[0], `"token":""`) {
		t.Errorf("OldPushTag was scheduled with %q, want an empty token", scheduled)
	}
	r.absent(ctx, t, r.secret)
}

// inputs returns the recorded first argument of every scheduled activity of one
// type.
func inputs(t *testing.T, h *historypb.History, activityType string) []string {
	t.Helper()
	var found []string
	for _, e := range h.GetEvents() {
		a := e.GetActivityTaskScheduledEventAttributes()
		if a.GetActivityType().GetName() == activityType && len(a.GetInput().GetPayloads()) > 0 {
			found = append(found, string(a.GetInput().GetPayloads()[0].GetData()))
		}
	}
	return found
}
