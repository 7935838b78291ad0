package interceptor_test

import (
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// TestNamesOfClientsAndWorkers: one whose own name holds a value does not start, and
// the error does not say it.
func TestNamesOfClientsAndWorkers(t *testing.T) {
	opts := options(t, "")
	opts.Policies = policies(t, "default: {mode: report}\n")
	opts.Hidden = knowing(t, canary)
	p, err := guard.NewPlugin(opts)
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]client.Options{"identity": {Identity: "i-" + canary}, "namespace": {Namespace: canary}} {
		o.Plugins = []client.Plugin{p}
		if _, err := client.NewLazyClient(o); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("a client with such an %s: %v", name, err)
		}
	}
	c, _ := dialClient(t, client.Options{Plugins: []client.Plugin{p}})
	for name, o := range map[string]worker.Options{
		"identity":        {Identity: "w-" + canary},
		"build id":        {BuildID: canary},
		"deployment name": {DeploymentOptions: worker.DeploymentOptions{Version: worker.WorkerDeploymentVersion{DeploymentName: canary, BuildID: "1"}}},
		"build":           {DeploymentOptions: worker.DeploymentOptions{Version: worker.WorkerDeploymentVersion{DeploymentName: "d", BuildID: canary}}},
	} {
		w := worker.New(c, testQueue, o)
		if err := w.Start(); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("a worker with such a %s: %v", name, err)
		}
	}
	if err := worker.New(c, "q-"+canary, worker.Options{}).Start(); err == nil || strings.Contains(err.Error(), canary) {
		t.Errorf("a worker on such a queue: %v", err)
	}
}
