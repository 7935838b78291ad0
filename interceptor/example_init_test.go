package interceptor_test

import (
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// What the examples share.

// exampleQueue is the task queue of the SDK's test environment.
const exampleQueue = "default-test-taskqueue"

// newerSDK is empty with the SDK that the guard was made for.
var newerSDK, _ = unguardedBySDK()

// vault stands for a store of secrets.
func vault() secrets.Resolver {
	return secretstest.Static(map[string]string{"vault:kv/release#token": "current-token-5f1d0c7a", "env:DEPLOY_TOKEN": "current-token-5f1d0c7a"})
}

// quiet is an audit that nobody reads. Do not copy it.
var quiet = audit.Discard()

// newEnvironment is the SDK's test environment with a guard in it.
func newEnvironment(guard interceptor.WorkerInterceptor) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(discard{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{guard}})
	return env
}
