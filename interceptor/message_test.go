package interceptor_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
)

var updateGolden = flag.Bool("update", false, "write testdata instead of comparing with it")

const releasePolicy = `version: 1
secrets:
  github-deploy: {ref: "env:DEPLOY_TOKEN", owner: release-eng, reason: push the release tag, review_by: 2099-01-01}
  stale: {ref: "env:STALE_TOKEN", owner: release-eng, reason: forgotten, review_by: 2020-01-01}
queues:
  agents:
    mode: enforce
    sandbox: {entries: [file], path_grants: [{path: /srv/reference}]}
    inputs: [{activity: StartJob, argument: 0, path: /config, kind: run_config}]
  deploys:
    mode: enforce
    grants:
      - {secret: github-deploy, to: {activity: PushTag, input: /0/token}}
      - {secret: stale, to: {activity: SignTag, input: /0/token}}
      - {secret: github-deploy, to: {activity: PostTag, input: /0/token}}
`

// sends runs a workflow on queue deploys and returns the error of what it did.
func sends(t *testing.T, act func(ctx workflow.Context) error) error {
	t.Helper()
	env := environment(t, releaseOptions(t))
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{TaskQueue: "deploys"})
	var got error
	env.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
		got = act(workflow.WithChildOptions(options60(ctx), workflow.ChildWorkflowOptions{}))
		return nil
	}, workflow.RegisterOptions{Name: "Release"})
	env.ExecuteWorkflow("Release")
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	return got
}

// ends runs a workflow that ends with what end returns.
func ends(t *testing.T, end func(ctx workflow.Context) (any, error)) error {
	t.Helper()
	env := environment(t, releaseOptions(t))
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{TaskQueue: "deploys"})
	env.RegisterWorkflowWithOptions(end, workflow.RegisterOptions{Name: "Release"})
	env.ExecuteWorkflow("Release")
	return env.GetWorkflowError()
}

func releaseOptions(t *testing.T) guard.Options {
	t.Helper()
	opts := options(t, "")
	opts.Policies, opts.TaskQueue = parsed(t, releasePolicy), "deploys"
	return opts
}

// fails runs an attempt on a worker for queue deploys.
func fails(t *testing.T, change func(*guard.Options), fn, in any) error {
	t.Helper()
	opts := options(t, bindReplace)
	if change != nil {
		change(&opts)
	}
	_, err := attempt(t, opts, fn, in)
	return err
}

func activityCall(queue, name string, in any) func(ctx workflow.Context) error {
	return func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 60e9, TaskQueue: queue})
		return workflow.ExecuteActivity(ctx, name, in).Get(ctx, nil)
	}
}

// TestMessages holds every message to its golden text, in the form of the policy
// file's documentation: type, subject, what did not happen, retryable or not; a
// line a violation; the fix; the policy and where to read on.
func TestMessages(t *testing.T) {
	host := "/srv/secret-host-path"
	nothing := func(context.Context, tagInput) error { return nil }
	for name, err := range map[string]error{
		"literal": sends(t, activityCall("deploys", "PushTag", tagInput{Token: githubToken})),
		"two_violations": sends(t, activityCall("deploys", "PushTag", map[string]any{
			"a": githubToken, "token": secrets.Env("NOBODY_KNOWS"),
		})),
		"secret_not_granted": sends(t, activityCall("deploys", "PushTag", typedInput{Token: secrets.Env("OTHER_TOKEN")})),
		"review_overdue":     sends(t, activityCall("deploys", "SignTag", typedInput{Token: secrets.Env("STALE_TOKEN")})),
		"untyped_place":      sends(t, activityCall("deploys", "Other", []any{secrets.Env("DEPLOY_TOKEN")})),
		"queue_unlisted":     sends(t, activityCall("elsewhere", "PushTag", typedInput{Token: secrets.Env("DEPLOY_TOKEN")})),
		"destination":        sends(t, activityCall("deploys", "PostTag", sendTyped{URL: "https://a.example", Token: secrets.Env("DEPLOY_TOKEN")})),
		"host_path_grant": sends(t, activityCall("agents", "ListFiles", struct {
			M sandbox.Manifest `json:"m"`
		}{sandbox.Manifest{ExtraPathGrants: []sandbox.PathGrant{{Path: "/srv/reference", ReadOnly: true, HostPath: &host}}}})),
		"live_session": sends(t, activityCall("agents", "StartJob", map[string]any{"config": map[string]any{"sandbox": map[string]any{"session": map[string]any{"id": 1}}}})),
		"credential_as_a_key": sends(t, activityCall("deploys", "PushTag", map[string]any{
			"x": map[string]any{"a": 1, githubToken: 2},
		})),
		"local_activity": sends(t, func(ctx workflow.Context) error {
			ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{StartToCloseTimeout: 60e9})
			return workflow.ExecuteLocalActivity(ctx, "PushTag", tagInput{Repo: githubToken}).Get(ctx, nil)
		}),
		"child_workflow": sends(t, func(ctx workflow.Context) error {
			return workflow.ExecuteChildWorkflow(ctx, "Child", githubToken).Get(ctx, nil)
		}),
		"signal": sends(t, func(ctx workflow.Context) error {
			return workflow.SignalExternalWorkflow(ctx, "w", "", "greet", githubToken).Get(ctx, nil)
		}),
		"memo": sends(t, func(ctx workflow.Context) error { return workflow.UpsertMemo(ctx, map[string]any{"k": githubToken}) }),
		"search_attributes": sends(t, func(ctx workflow.Context) error {
			return workflow.UpsertTypedSearchAttributes(ctx, stringKey.ValueSet(githubToken))
		}),
		"nexus": sends(t, func(ctx workflow.Context) error {
			return workflow.NewNexusClient("e", "s").ExecuteOperation(ctx, "op", githubToken, workflow.NexusOperationOptions{}).Get(ctx, nil)
		}),
		"continue_as_new": ends(t, func(ctx workflow.Context) (any, error) {
			return nil, workflow.NewContinueAsNewError(ctx, "Release", githubToken)
		}),
		"workflow_result":      ends(t, func(workflow.Context) (any, error) { return githubToken, nil }),
		"unresolved":           fails(t, func(o *guard.Options) { o.Resolver = failing(secrets.ErrNotFound) }, nothing, tagInput{}),
		"unresolved_elsewhere": fails(t, func(o *guard.Options) { o.Resolver, o.Policies = failing(secrets.ErrDenied), parsed(t, vaultPolicy) }, nothing, tagInput{}),
		"unavailable":          fails(t, func(o *guard.Options) { o.Resolver = failing(secrets.ErrUnavailable) }, nothing, tagInput{}),
		"short":                fails(t, func(o *guard.Options) { o.Resolver = giving("short") }, nothing, tagInput{}),
		"audit_unavailable":    fails(t, func(o *guard.Options) { o.Audit = broken()["failing"] }, nothing, tagInput{}),
		"withheld": fails(t, nil, func(_ context.Context, in tagInput) ([]byte, error) {
			return append([]byte{0xff}, in.Token...), nil
		}, tagInput{}),
		"result_literal":   fails(t, nil, func(context.Context, tagInput) (string, error) { return githubToken, nil }, tagInput{}),
		"literal_in_place": fails(t, func(o *guard.Options) { o.Policies = queuePolicy(t, grantTyped) }, nothing, tagInput{Token: "an old one"}),
		"place_missing":    fails(t, func(o *guard.Options) { o.Policies = queuePolicy(t, bind("/0/nope", "")) }, nothing, tagInput{}),
		"empty_value": fails(t, func(o *guard.Options) { o.Policies = queuePolicy(t, grantTyped) }, func(_ context.Context, in typedInput) error {
			_, err := in.Token.Reveal()
			return err
		}, typedInput{}),
		"no_provider":        providerRefusal(t),
		"place_of_a_list":    fails(t, func(o *guard.Options) { o.Policies = queuePolicy(t, bind("/0/list", "")) }, func(context.Context, shapes) error { return nil }, shapes{}),
		"get_not_granted":    asked(t),
		"interceptor":        insideError(t),
		"not_started":        notStarted(t),
		"client_start":       second2(clientOf(t, releaseOptions(t), &server{}).ExecuteWorkflow(t.Context(), &interceptor.ClientExecuteWorkflowInput{Options: &client.StartWorkflowOptions{TaskQueue: "deploys"}, WorkflowType: "Release", Args: []any{githubToken}})),
		"client_update":      second2(clientOf(t, releaseOptions(t), &server{}).UpdateWorkflow(t.Context(), &interceptor.ClientUpdateWorkflowInput{UpdateName: "change", Args: []any{githubToken}})),
		"options":            func() error { _, err := guard.New(guard.Options{Unguarded: unguarded(t)}); return err }(),
		"worker_interceptor": pluginRefusal(t),
	} {
		t.Run(name, func(t *testing.T) {
			if err == nil {
				t.Fatal("no error")
			}
			got := messageOf(err) + "\n"
			if strings.Contains(got, githubToken) || strings.Contains(got, host) || strings.Contains(got, canary) {
				t.Errorf("it quotes what it refuses:\n%s", got)
			}
			path := filepath.Join("testdata", "messages", name+".txt")
			if *updateGolden {
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(got), 0o644)); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// messageOf is the guard's own text in an error of the SDK's.
func messageOf(err error) string {
	var app *temporal.ApplicationError
	if errors.As(err, &app) {
		return app.Message()
	}
	return err.Error()
}

func asked(t *testing.T) (got error) {
	t.Helper()
	_ = fails(t, nil, func(ctx context.Context, _ tagInput) error {
		_, got = secrets.Get(ctx, secrets.EnvRef("OTHER_TOKEN"))
		return nil
	}, tagInput{})
	return got
}

func insideError(t *testing.T) error {
	t.Helper()
	_, err := attemptIn(attemptsOf(newGuard(t, options(t, bindReplace)), &spy{}), func(context.Context, tagInput) error { return nil }, tagInput{})
	return err
}

func providerRefusal(t *testing.T) error {
	t.Helper()
	opts := options(t, "")
	opts.Policies, opts.Resolver = parsed(t, twoProviders), secrets.Providers{"env": failing(secrets.ErrNotFound)}
	_, err := startsWith(t, opts, "asks", func(r worker.ActivityRegistry) { r.RegisterActivity(&releases{}) })
	return err
}

func notStarted(t *testing.T) error {
	t.Helper()
	opts := releaseOptions(t)
	opts.TaskQueue = "deploys-eu"
	_, err := guard.New(opts)
	return err
}

// TestMessagesOfThePolicyDocument compares with the two messages that the document
// of the policy file fixes, word for word.
func TestMessagesOfThePolicyDocument(t *testing.T) {
	literal := `sandboxguard.PolicyViolation: activity PushTag to queue "deploys" refused, nothing was scheduled (not retryable)
  /0/token  literal-credential  must not hold a credential; this text has the form of a GitHub token
  fix: pass secrets.Env("NAME"), or bind the field: queues.deploys.grants: {secret: NAME, to: {activity: PushTag, input: /0/token}, literal: replace}
  policy DIGEST, docs/errors.md#literal-credential`
	policy, _ := parsed(t, releasePolicy).PolicyFor(guard.Queue{Name: "deploys"})
	want := strings.Replace(literal, "DIGEST", policy.Digest(), 1)
	got := messageOf(sends(t, activityCall("deploys", "PushTag", tagInput{Token: githubToken})))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	want = `sandboxguard: worker for task queue "deploys-eu" not started: policy.yaml has no entry for it
  entries: agents, deploys
  fix: add queues.deploys-eu, a pattern such as "deploys-*", or a default section`
	if diff := cmp.Diff(want, notStarted(t).Error()); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
}
