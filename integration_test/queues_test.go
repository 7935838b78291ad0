package integration_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/gauntlet"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// deliver calls an activity on another queue than its own.
func deliver(ctx workflow.Context, queue, text string, token secrets.Value) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: queue, StartToCloseTimeout: 20 * time.Second})
	tag := legacy.Tag[secrets.Value]{Name: "v3", Token: token, Notes: map[string]any{"text": text}}
	return workflow.ExecuteActivity(ctx, "PushTag", tag).Get(ctx, nil)
}

// registerDeliver registers deliver, and a PushTag that takes a token or none.
func registerDeliver(seen *legacy.Seen) func(worker.Registry) {
	return func(w worker.Registry) {
		w.RegisterWorkflow(deliver)
		w.RegisterActivityWithOptions(func(_ context.Context, tag legacy.Tag[secrets.Value]) error {
			text, err := tag.Token.Reveal()
			if tag.Token.IsZero() {
				text, err = "no token", nil
			}
			seen.Add("PushTag", text)
			return err
		}, activity.RegisterOptions{Name: "PushTag"})
	}
}

// TestBothQueuesPoliciesGovern makes a call from one queue to another. Either
// policy can refuse it, and only that of the queue whose worker would resolve
// can grant a secret.
func TestBothQueuesPoliciesGovern(t *testing.T) {
	t.Parallel()
	const (
		report = "mode: report\nliterals: report\n"
		strict = "mode: enforce\nliterals: enforce\n"
		grants = "mode: enforce\nliterals: report\ngrants: [{secret: deploy, to: {activity: PushTag, input: /0/token}}]\n"
	)
	var token secrets.Value
	tests := []struct {
		name, own, other string
		text             string
		token            secrets.Value
		want             []string
		// scheduled is how often the activity is: a refusal on the workflow's
		// side leaves nothing for the other queue.
		scheduled int
	}{
		{name: "both let pass", own: report, other: report, text: gauntlet.Credential, scheduled: 1},
		{name: "own refuses", own: strict, other: report, text: gauntlet.Credential, want: []string{"/0/notes/text literal-credential"}},
		{name: "other refuses", own: report, other: strict, text: gauntlet.Credential, want: []string{"/0/notes/text literal-credential"}},
		{name: "both refuse", own: strict, other: strict, text: gauntlet.Credential, want: []string{"/0/notes/text literal-credential"}},
		{name: "other grants", own: strict, other: grants, token: secrets.Env("DEPLOY_TOKEN"), scheduled: 1},
		{name: "own grants, other does not", own: grants, other: strict, token: secrets.Env("DEPLOY_TOKEN"), want: []string{"/0/token secret-not-granted"}},
		{name: "other reports, and grants nothing", own: grants, other: report, token: secrets.Env("DEPLOY_TOKEN"), want: []string{"/0/token secret-not-granted"}, scheduled: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx := limited(t)
			r := newRig(t, test.own, withOther(t, test.own, test.other))
			seen := &legacy.Seen{}
			r.worker(t, registerDeliver(seen))
			harness.Worker(t, r.client, r.other(), worker.Options{}, registerDeliver(seen))
			err := r.start(ctx, t, r.plain, deliver, r.other(), test.text, test.token).Get(ctx, nil)
			if diff := cmp.Diff(test.want, rules(err)); diff != "" {
				t.Errorf("violations (-want +got):\n%s\nof %v", diff, err)
			}
			var want []string
			if test.want == nil {
				want = []string{"no token"}
				if !test.token.Equal(token) {
					want = []string{r.secret}
				}
			}
			if got := seen.Tokens("PushTag"); !slices.Equal(got, want) {
				t.Errorf("the activity ran %d times, or saw something else than it should", len(got))
			}
			if got := len(inputs(t, r.family(ctx, t)[0].History, "PushTag")); got != test.scheduled {
				t.Errorf("the activity was scheduled %d times, want %d", got, test.scheduled)
			}
			r.absent(ctx, t, r.secret)
		})
	}
}

// TestTwoWorkersTwoPoliciesOneProcess runs two workers with a guard each. Both
// resolve the same name, each to its own value, and hide their own.
func TestTwoWorkersTwoPoliciesOneProcess(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	grants := "mode: enforce\ngrants: [{secret: deploy, to: {activity: PushTag, input: /0/token}}]\n"
	first, second := newRig(t, grants), newRig(t, grants)
	third := newRig(t, "mode: enforce\n")
	if first.secret == second.secret {
		t.Fatal("two rigs have one secret")
	}
	for _, r := range []*rig{first, second, third} {
		seen := &legacy.Seen{}
		r.worker(t, registerDeliver(seen))
		err := r.start(ctx, t, r.client, deliver, r.queue, "a note", secrets.Env("DEPLOY_TOKEN")).Get(ctx, nil)
		want := []string{r.secret}
		if r == third {
			want = nil
			if diff := cmp.Diff([]string{"/0/token secret-not-granted"}, rules(err)); diff != "" {
				t.Errorf("violations (-want +got):\n%s\nof %v", diff, err)
			}
		} else if err != nil {
			t.Error(err)
		}
		if got := seen.Tokens("PushTag"); !slices.Equal(got, want) {
			t.Errorf("the activity ran %d times, or saw another worker's secret", len(got))
		}
		r.absent(ctx, t, first.secret, second.secret, third.secret)
	}
}

// TestAnUnlistedQueueStopsTheStart makes a worker on a queue that no entry
// covers. The message is the one that the policy reference shows.
func TestAnUnlistedQueueStopsTheStart(t *testing.T) {
	t.Parallel()
	source := policies(t, "version: 1\nqueues:\n  agents: {mode: enforce}\n  deploys: {mode: enforce}\n")
	c := server.Dial(t, client.Options{Plugins: []client.Plugin{plugin(t, guard.Options{Policies: source})}})
	w, err := harness.NewWorker(c, "deploys-eu", worker.Options{})
	if err == nil {
		w.RegisterWorkflow(deliver)
		err = w.Start()
	}
	if err == nil {
		w.Stop()
		t.Fatal("the worker started")
	}
	const want = `sandboxguard: worker for task queue "deploys-eu" not started: policy.yaml has no entry for it
  entries: agents, deploys
  fix: add queues.deploys-eu, a pattern such as "deploys-*", or a default section`
	if !strings.Contains(err.Error(), want) {
		t.Errorf("message is\n%v\nwant\n%s", err, want)
	}

	w, err = harness.NewWorker(c, "deploys", worker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.RegisterWorkflow(deliver)
	if err := w.Start(); err != nil {
		t.Fatalf("a listed queue's worker did not start: %v", err)
	}
	w.Stop()
}

// TestCallsToForeignQueues makes calls to a queue that this policy file says
// nothing about, as one of another team. Plain data passes; a reference, which
// only the guard could do something with, does not.
func TestCallsToForeignQueues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		token secrets.Value
		want  []string
	}{
		{name: "plain data"},
		{name: "a reference", token: secrets.Env("DEPLOY_TOKEN"), want: []string{" queue-unlisted"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			ctx := limited(t)
			r := newRig(t, "mode: enforce\nliterals: report\n")
			seen := &legacy.Seen{}
			r.worker(t, registerDeliver(seen))
			harness.Worker(t, r.plain, r.other(), worker.Options{}, registerDeliver(seen))
			err := r.start(ctx, t, r.plain, deliver, r.other(), "a note", test.token).Get(ctx, nil)
			if diff := cmp.Diff(test.want, rules(err)); diff != "" {
				t.Errorf("violations (-want +got):\n%s\nof %v", diff, err)
			}
			ran := len(seen.Tokens("PushTag"))
			if want := map[bool]int{true: 1, false: 0}[test.want == nil]; ran != want {
				t.Errorf("the activity ran %d times, want %d", ran, want)
			}
		})
	}
}
