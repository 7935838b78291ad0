package interceptor_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// TestDynamicActivities get one EncodedValues for all their arguments; the guard
// looks at the payloads behind it.
func TestDynamicActivities(t *testing.T) {
	for _, tc := range []struct {
		name, entry string
		args        []any
		read        func(args converter.EncodedValues) (any, error)
		want        any
		rule        string
	}{
		{name: "bound", entry: bindReplace, args: []any{tagInput{Repo: "r", Token: "old"}, 7}, read: func(args converter.EncodedValues) (any, error) {
			var in tagInput
			var n int
			err := args.Get(&in, &n)
			return []any{in, n}, err
		}, want: []any{tagInput{Repo: "r", Token: canary}, 7}},
		{name: "second argument bound", entry: bind("/1/token", ", literal: replace"), args: []any{1, map[string]any{}}, read: func(args converter.EncodedValues) (any, error) {
			var n int
			var m map[string]any
			err := args.Get(&n, &m)
			return m["token"], err
		}, want: canary},
		{name: "nothing bound", args: []any{"a", "b"}, read: func(args converter.EncodedValues) (any, error) {
			var a, b string
			err := args.Get(&a, &b)
			return a + b, err
		}, want: "ab"},
		{name: "no arguments", read: func(args converter.EncodedValues) (any, error) { return args.HasValues(), nil }, want: false},
		{name: "literal refused in the place", entry: bind("/0/token", ""), args: []any{tagInput{Token: "old"}}, rule: "literal-in-secret-field"},
		{name: "place missing", entry: bind("/3/token", ""), args: []any{tagInput{}}, rule: "input-missing"},
		{name: "numbers stay exact", entry: bindReplace, args: []any{map[string]any{"n": int64(9007199254740993), "token": ""}}, read: func(args converter.EncodedValues) (any, error) {
			var in struct {
				N int64 `json:"n"`
			}
			err := args.Get(&in)
			return in.N, err
		}, want: int64(9007199254740993)},
		{name: "manifest below a key", entry: bound("manifest", "/m"), args: []any{map[string]any{"m": manifestMap()}}, read: func(args converter.EncodedValues) (any, error) {
			var in map[string]any
			err := args.Get(&in)
			return envOf(in, "m"), err
		}, want: map[string]any{"LANG": "C.UTF-8", "API_TOKEN": canary}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			env := environment(t, options(t, tc.entry))
			var got any
			env.RegisterDynamicActivity(func(_ context.Context, args converter.EncodedValues) (err error) {
				if tc.rule != "" {
					t.Error("it ran")
					return nil
				}
				got, err = tc.read(args)
				return err
			}, activity.DynamicRegisterOptions{})
			err := run(t, env, pushAll(tc.args...))
			if tc.rule != "" {
				wantRules(t, err, tc.rule)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDynamicWorkflows are judged like others.
func TestDynamicWorkflows(t *testing.T) {
	opts := options(t, "")
	opts.FailTainted = true
	for _, in := range []string{"hello", githubToken} {
		env := environment(t, opts)
		env.RegisterDynamicWorkflow(func(_ workflow.Context, args converter.EncodedValues) (string, error) {
			var text string
			err := args.Get(&text)
			return text, err
		}, workflow.DynamicRegisterOptions{})
		env.ExecuteWorkflow("Anything", in)
		if err := env.GetWorkflowError(); guard.IsRefused(err) != (in == githubToken) {
			t.Errorf("%v", err)
		}
	}
}

// TestSessions: the SDK's own activities of a session pass, and those of the user
// that run on the session's queue are governed by the worker's base queue.
func TestSessions(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(discard{})
	env := suite.NewTestWorkflowEnvironment()
	inner := &spy{}
	env.SetWorkerOptions(worker.Options{EnableSessionWorker: true, Interceptors: append(
		[]interceptor.WorkerInterceptor{inner}, newGuard(t, options(t, grantTyped)))})
	var revealed string
	env.RegisterActivityWithOptions(func(_ context.Context, in typedInput) (err error) {
		revealed, err = in.Token.Reveal()
		return err
	}, named("Push"))
	if err := run(t, env, func(ctx workflow.Context) error {
		ctx = options60(ctx)
		session, err := workflow.CreateSession(ctx, &workflow.SessionOptions{CreationTimeout: 60e9, ExecutionTimeout: 3600e9})
		if err != nil {
			return err
		}
		defer workflow.CompleteSession(session)
		if err := workflow.ExecuteActivity(session, "Note", githubToken).Get(session, nil); !guard.IsRefused(err) {
			return errors.New("a credential left on the session's queue")
		}
		return workflow.ExecuteActivity(session, "Push", typedInput{Token: secrets.Env("DEPLOY_TOKEN")}).Get(session, nil)
	}); err != nil || revealed != canary {
		t.Errorf("revealed %q, %v", revealed, err)
	}
}

// TestSessionsNeedNoProvider: an activity of the SDK's own is no business of the
// guard's, also while it could not clean the output of others.
func TestSessionsNeedNoProvider(t *testing.T) {
	opts := options(t, redactOther)
	opts.Resolver = failing(secrets.ErrUnavailable)
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(discard{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{EnableSessionWorker: true, Interceptors: []interceptor.WorkerInterceptor{newGuard(t, opts)}})
	if err := run(t, env, func(ctx workflow.Context) error {
		session, err := workflow.CreateSession(options60(ctx), &workflow.SessionOptions{CreationTimeout: 60e9, ExecutionTimeout: 3600e9})
		if err == nil {
			workflow.CompleteSession(session)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}
