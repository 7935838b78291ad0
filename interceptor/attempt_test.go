package interceptor_test

import (
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// attempts is an activity test environment with the guard in it: one attempt of
// an activity, without a workflow before it.
func attempts(tb testing.TB, opts guard.Options, around ...interceptor.WorkerInterceptor) *testsuite.TestActivityEnvironment {
	tb.Helper()
	g, err := guard.New(opts)
	if err != nil {
		tb.Fatalf("New: %v", err)
	}
	return attemptsOf(append(around, g)...)
}

func attemptsOf(list ...interceptor.WorkerInterceptor) *testsuite.TestActivityEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(discard{})
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: list})
	return env
}

// attempt runs one attempt of the activity Push.
func attempt(tb testing.TB, opts guard.Options, fn any, args ...any) (converter.EncodedValue, error) {
	tb.Helper()
	return attemptIn(attempts(tb, opts), fn, args...)
}

func attemptIn(env *testsuite.TestActivityEnvironment, fn any, args ...any) (converter.EncodedValue, error) {
	env.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: "Push", DisableAlreadyRegisteredCheck: true})
	return env.ExecuteActivity("Push", args...)
}
