package interceptor_test

import (
	"context"
	"strings"
	"testing"

	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/validation"
)

// toQueue calls Push on another queue than the workflow's own.
func toQueue(queue string, in any) func(workflow.Context) error {
	return func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 60e9, TaskQueue: queue})
		return workflow.ExecuteActivity(ctx, "Push", in).Get(ctx, nil)
	}
}

// TestBothQueuesGovern: what leaves a workflow must satisfy the policy of its own
// queue, which owns the history, and of the queue that it goes to.
func TestBothQueuesGovern(t *testing.T) {
	const grant = "    grants: [{secret: deploy, to: {activity: Push, input: /0/token}}]\n"
	own := func(entry string) string { return "queues:\n  " + testQueue + ":\n" + entry }
	for _, tc := range []struct {
		name, file string
		in         any
		rules      []string
	}{
		{"literal refused by the own queue", own("    mode: enforce\n") + "  deploys:\n    {mode: enforce, literals: off}\n", note{Text: githubToken}, []string{"literal-credential"}},
		{"literal refused by the other queue", own("    mode: report\n") + "  deploys: {mode: enforce}\n", note{Text: githubToken}, []string{"literal-credential"}},
		{"literal passes both", own("    mode: report\n") + "  deploys: {mode: report}\n", note{Text: githubToken}, nil},
		{"granted by the other queue", own("    mode: enforce\n") + "  deploys:\n    mode: enforce\n" + grant, typedInput{Token: secrets.Env("DEPLOY_TOKEN")}, nil},
		{"granted by the own queue only", own("    mode: enforce\n"+grant) + "  deploys: {mode: enforce}\n", typedInput{Token: secrets.Env("DEPLOY_TOKEN")}, []string{"secret-not-granted"}},
		{"own queue lists no workflow", own("    mode: enforce\n    workflows: [Nobody]\n") + "  deploys:\n    mode: enforce\n" + grant, typedInput{Token: secrets.Env("DEPLOY_TOKEN")}, []string{"workflow-unlisted"}},
		{"own queue unlisted, plain call", "queues:\n  deploys: {mode: enforce}\n", note{Text: "plain"}, nil},
		{"own queue unlisted, guard data", "queues:\n  deploys:\n    mode: enforce\n" + grant, typedInput{Token: secrets.Env("DEPLOY_TOKEN")}, []string{"queue-unlisted"}},
		{"other queue unlisted, plain call", own("    mode: enforce\n"), note{Text: "plain"}, nil},
		{"other queue unlisted, guard data", own("    mode: enforce\n"), typedInput{Token: secrets.Env("DEPLOY_TOKEN")}, []string{"queue-unlisted"}},
		{"other queue unlisted, untyped value", own("    mode: enforce\n"), map[string]any{"token": secrets.Env("DEPLOY_TOKEN")}, []string{"queue-unlisted", "secret-untyped-place"}},
		{"other queue unlisted, literal", own("    mode: enforce\n"), note{Text: githubToken}, []string{"literal-credential"}},
		{"both unlisted, literal", "queues:\n  elsewhere: {mode: enforce}\n", note{Text: githubToken}, nil},
		{"untyped value bound on the other queue", own("    mode: enforce\n") + "  deploys:\n    mode: enforce\n" + grant, map[string]any{"token": secrets.Env("DEPLOY_TOKEN")}, nil},
		{"untyped value bound on the own queue only", own("    mode: enforce\n"+grant) + "  deploys: {mode: enforce}\n", map[string]any{"token": secrets.Env("DEPLOY_TOKEN")}, []string{"secret-untyped-place"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, "")
			opts.TaskQueue = ""
			opts.Policies = policies(t, tc.file)
			inner := &spy{}
			env := environment(t, opts, inner)
			env.RegisterActivityWithOptions(func(context.Context, any) error { return nil }, named("Push"))
			err := run(t, env, toQueue("deploys", tc.in))
			if tc.rules == nil {
				// The activity of the test environment runs on the queue it was sent
				// to, whose worker judges as well.
				if len(inner.calls("ExecuteActivity")) != 1 {
					t.Errorf("nothing left: %v", err)
				}
				return
			}
			wantRules(t, err, tc.rules...)
			if len(inner.calls("ExecuteActivity")) != 0 {
				t.Error("it left")
			}
			if !strings.Contains(err.Error(), `activity Push to queue "deploys" refused, nothing was scheduled`) {
				t.Errorf("message %v", err)
			}
		})
	}
}

// TestChildQueues: the same for child workflows.
func TestChildQueues(t *testing.T) {
	opts := options(t, "literals: off\n")
	opts.Policies = policies(t, "queues:\n  "+testQueue+": {mode: enforce, literals: off}\n  deploys: {mode: enforce}\n")
	for queue, refused := range map[string]bool{"deploys": true, "elsewhere": false, "": false} {
		env := environment(t, opts)
		env.RegisterWorkflowWithOptions(greeted, workflow.RegisterOptions{Name: "Greeted"})
		err := run(t, env, func(ctx workflow.Context) error {
			ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{TaskQueue: queue})
			return workflow.ExecuteChildWorkflow(ctx, "Greeted", note{Text: githubToken}).Get(ctx, nil)
		})
		if guard.IsRefused(err) != refused {
			t.Errorf("queue %q: %v", queue, err)
		}
	}
}

// TestBaseQueueOfTheWorker: Options.TaskQueue names it where tasks come from other
// queues.
func TestBaseQueueOfTheWorker(t *testing.T) {
	for _, tc := range []struct {
		base    string
		refused bool
	}{{testQueue, false}, {"other", true}} {
		opts := options(t, "")
		opts.Policies = policies(t, "queues:\n  "+testQueue+":\n    mode: enforce\n    "+grantTyped+"  other: {mode: enforce}\n")
		opts.TaskQueue = tc.base
		_, err := attempt(t, opts, func(context.Context, typedInput) error { return nil }, typedInput{Token: secrets.Env("DEPLOY_TOKEN")})
		if guard.IsRefused(err) != tc.refused {
			t.Errorf("base queue %q: %v", tc.base, err)
		}
	}
}

// TestUnlistedQueueOfAnActivity: a worker that started in spite of it gives no
// secret away.
func TestUnlistedQueueOfAnActivity(t *testing.T) {
	opts := options(t, "")
	opts.TaskQueue = ""
	opts.Policies = policies(t, "queues:\n  elsewhere: {mode: enforce}\n")
	r := counting(t)
	opts.Resolver = r
	_, err := attempt(t, opts, func(context.Context, typedInput) error { t.Error("it ran"); return nil }, typedInput{Token: secrets.Env("DEPLOY_TOKEN")})
	wantRules(t, err, "queue-unlisted")
	if _, err := attempt(t, opts, func(ctx context.Context, _ note) error {
		_, err := secrets.Get(ctx, secrets.EnvRef("DEPLOY_TOKEN"))
		return err
	}, note{}); !guard.IsRefused(err) {
		t.Errorf("Get: %v", err)
	}
	if _, err := attempt(t, opts, func(_ context.Context, in note) (string, error) { return in.Text, nil }, note{Text: githubToken}); err != nil {
		t.Errorf("a plain attempt: %v", err)
	}
	if len(r.asked) != 0 {
		t.Errorf("asked for %v", r.asked)
	}
}

// switching is a policy source whose answer changes between calls.
type switching struct{ answers []*validation.Policies }

func (s *switching) PolicyFor(q guard.Queue) (validation.Policy, bool) {
	p := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	return p.PolicyFor(q)
}

// TestPolicyMayChangeAtAnyTime: each call is judged by the policy of its moment.
func TestPolicyMayChangeAtAnyTime(t *testing.T) {
	strict, loose := queuePolicy(t, "literals: enforce\n"), queuePolicy(t, "literals: off\n")
	for _, tc := range []struct {
		answers []*validation.Policies
		refused bool
	}{{[]*validation.Policies{strict}, true}, {[]*validation.Policies{loose}, false}} {
		opts := options(t, "")
		opts.TaskQueue, opts.Policies = "", &switching{answers: tc.answers}
		env := environment(t, opts)
		env.RegisterActivityWithOptions(func(context.Context, note) error { return nil }, named("Note"))
		err := run(t, env, func(ctx workflow.Context) error {
			return workflow.ExecuteActivity(options60(ctx), "Note", note{Text: githubToken}).Get(ctx, nil)
		})
		if guard.IsRefused(err) != tc.refused {
			t.Errorf("got %v", err)
		}
	}
}

// TestZeroPolicyDenies: a source that answers true with a zero Policy allows
// nothing.
func TestZeroPolicyDenies(t *testing.T) {
	opts := options(t, "")
	opts.Policies = zeroPolicies{}
	for _, in := range []any{note{Text: githubToken}, typedInput{Token: secrets.Env("DEPLOY_TOKEN")}} {
		env := environment(t, opts)
		env.RegisterActivityWithOptions(func(context.Context, any) error { t.Error("it ran"); return nil }, named("Push"))
		if err := run(t, env, pushWorkflow(in)); !guard.IsRefused(err) {
			t.Errorf("%T: %v", in, err)
		}
	}
}

type zeroPolicies struct{}

func (zeroPolicies) PolicyFor(guard.Queue) (validation.Policy, bool) {
	return validation.Policy{}, true
}
