package interceptor_test

import (
	"context"
	"fmt"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/validation"
)

// A program that only starts workflows registers the guard as an interceptor of its
// client. A credential in an argument is refused before anything is sent.
func ExampleNewClient() {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(`
version: 1
queues:
  deploys: {mode: enforce}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := guard.NewClient(guard.Options{Policies: policies, Audit: quiet, Unguarded: newerSDK})
	if err != nil {
		fmt.Println(err)
		return
	}
	// With a server: client.Dial(client.Options{Interceptors: []interceptor.ClientInterceptor{g}}),
	// then c.ExecuteWorkflow as ever. Here the call goes to the interceptor itself.
	c := g.InterceptClient(&server{})
	_, err = c.ExecuteWorkflow(context.Background(), &interceptor.ClientExecuteWorkflowInput{
		Options:      &client.StartWorkflowOptions{ID: "release-7", TaskQueue: "deploys"},
		WorkflowType: "Release",
		Args:         []any{map[string]string{"repo": "app", "token": "ghp_" + "x7Kq2Lm9Vb4Tn8Rz3Wc6Yd1Fh5Js0Pg2Ua4K"}},
	})
	for _, v := range guard.Violations(err) {
		fmt.Println(v.Path, v.Rule, guard.IsRefused(err))
	}
	// Output: /0/token literal-credential true
}
