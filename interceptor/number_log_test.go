package interceptor_test

import (
	"context"
	"strings"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// TestNumbersInLogs: a secret of digits is one as a number too.
func TestNumbersInLogs(t *testing.T) {
	const digits = "8675309123456"
	opts := options(t, bindReplace)
	opts.Resolver = secretstest.Static(map[string]string{"env:DEPLOY_TOKEN": digits})
	var l transcript
	suite, g := guardedSuite(t, opts, &l)
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{g}})
	if _, err := attemptIn(env, func(ctx context.Context, _ tagInput) error {
		activity.GetLogger(ctx).Info("numbers", "a", int64(8675309123456), "b", 8675309123456, "c", uint64(8675309123456), "d", float64(8675309123456))
		return nil
	}, tagInput{}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(l.String(), digits) {
		t.Errorf("log:\n%s", l.String())
	}
}
