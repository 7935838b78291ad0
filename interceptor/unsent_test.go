package interceptor_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// unsent has a field that JSON leaves out. A converter of another kind sends it.
type unsent struct {
	Repo  string
	Token string `json:"-"`
}

// TestUnsentFieldsOfResultsAreCleaned: whoever encodes the result, nothing of it
// may hold a value.
func TestUnsentFieldsOfResultsAreCleaned(t *testing.T) {
	outer := &spy{}
	env := attempts(t, options(t, bindReplace), outer)
	if _, err := attemptIn(env, func(_ context.Context, in tagInput) (unsent, error) {
		return unsent{Repo: "r", Token: in.Token}, nil
	}, tagInput{}); err != nil {
		t.Fatal(err)
	}
	got := outer.calls("activity out")[0].args[0].(unsent)
	if got.Token != hidden || got.Repo != "r" {
		t.Errorf("the result is %+v", got)
	}
}

// TestUnsentFieldsOfArguments: they are judged where a converter may send them, and
// only there: with the default one they are no part of the call.
func TestUnsentFieldsOfArguments(t *testing.T) {
	for _, foreign := range []bool{false, true} {
		opts := options(t, "")
		r := newRig(t, opts)
		if foreign {
			r.client.DataConverter = converter.NewCompositeDataConverter(converter.NewJSONPayloadConverter())
		}
		r.configure(t)
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(discard{})
		env := suite.NewTestWorkflowEnvironment()
		env.SetWorkerOptions(worker.Options{Interceptors: r.interceptors()})
		env.RegisterActivityWithOptions(func(context.Context, unsent) error { return nil }, named("Push"))
		var got error
		if err := run(t, env, func(ctx workflow.Context) error {
			got = workflow.ExecuteActivity(options60(ctx), "Push", unsent{Token: githubToken}).Get(ctx, nil)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if foreign {
			wantRules(t, got, "literal-credential")
		} else if got != nil {
			t.Errorf("with the default converter: %v", got)
		}
	}
}
