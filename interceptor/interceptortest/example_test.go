package interceptortest_test

import (
	"context"
	"fmt"
	"testing"

	"go.temporal.io/sdk/client"

	"github.com/sandboxguard/sandboxguard/interceptor/interceptortest"
)

// printing is the t of a test, printed.
type printing struct{ testing.TB }

func (printing) Helper()                           {}
func (printing) Context() context.Context          { return context.Background() }
func (printing) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// Three lines hold a test of yours to "no value reaches the server": make a tap, put
// it into the client's connection, and ask at the end. Here nothing guards the client,
// and the workflow is started with the token.
func ExampleAssertHistoryClean() {
	token := "a token" + " of 20 bytes"
	t := printing{}

	tap := new(interceptortest.Tap)
	options := client.Options{ConnectionOptions: client.ConnectionOptions{DialOptions: tap.DialOptions()}}
	c, _, end, err := dial(options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer end()

	if _, err := c.ExecuteWorkflow(context.Background(), client.StartWorkflowOptions{ID: "deploy", TaskQueue: "deploys"}, "Deploy", token); err != nil {
		fmt.Println(err)
	}

	interceptortest.AssertHistoryClean(t, c, interceptortest.Options{Tap: tap}, token)
	// Output:
	// interceptortest: value 0 is in sent StartWorkflowExecution: input.payloads[0].data (raw)
	// interceptortest: value 0 is in workflow deploy, run run-of-deploy: history event 1 WorkflowExecutionStarted: workflow_execution_started_event_attributes.input.payloads[0].data (raw)
}
