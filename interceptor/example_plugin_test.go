package interceptor_test

import (
	"fmt"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/validation"
)

// The plugin is registered once, on the client. A worker whose task queue nobody
// wrote a policy for does not start.
func ExampleNewPlugin() {
	policies, err := validation.ParsePolicies("policy.yaml", []byte(`
version: 1
queues:
  agents: {mode: enforce}
  deploys: {mode: report}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	plugin, err := guard.NewPlugin(guard.Options{Policies: policies, Audit: quiet, Unguarded: newerSDK})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := client.NewLazyClient(client.Options{Logger: discard{}, Plugins: []client.Plugin{plugin}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()

	w := worker.New(c, "deploys-eu", worker.Options{})
	fmt.Println(w.Start())
	// Output:
	// sandboxguard: worker for task queue "deploys-eu" not started: policy.yaml has no entry for it
	//   entries: agents, deploys
	//   fix: add queues.deploys-eu, a pattern such as "deploys-*", or a default section
}
