package integration_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// identities plants in the names that a client and a worker have for themselves:
// they stand in every event, or in what a worker tells the server of itself. It
// tells its host's name, too, which nobody chooses.
func (p planter) identities(ctx context.Context, t *testing.T) {
	t.Helper()
	p.clients(ctx, t)
	p.workers(ctx, t)
}

func (p planter) clients(ctx context.Context, t *testing.T) {
	t.Helper()
	for name, set := range map[string]func(*client.Options, string){
		"client identity":    func(o *client.Options, text string) { o.Identity = text },
		"client plugin name": func(o *client.Options, text string) { o.Plugins = append(o.Plugins, bystander(t, text)) },
		"SDK name":           func(o *client.Options, text string) { o.SdkName = text },
		"SDK version":        func(o *client.Options, text string) { o.SdkVersion = text },
		"storage driver type": func(o *client.Options, text string) {
			o.ExternalStorage.Drivers = []converter.StorageDriver{&cellar{kind: text}}
		},
	} {
		o, err := p.c.options(t, func(o *client.Options) { set(o, p.text(name)) })
		if err != nil {
			t.Fatal(err)
		}
		c, err := server.Client(o)
		p.tried(name, err)
		if err != nil {
			continue
		}
		queue := harness.ID("census-named")
		w, err := harness.NewWorker(c, queue, worker.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.named(ctx, t, name, queue, w)
	}
}

// bystander is a plugin that does nothing.
func bystander(t *testing.T, name string) *temporal.SimplePlugin {
	t.Helper()
	p, err := temporal.NewSimplePlugin(temporal.SimplePluginOptions{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (p planter) workers(ctx context.Context, t *testing.T) {
	t.Helper()
	deployment := func(o *worker.Options, name, build string) {
		o.DeploymentOptions.Version = worker.WorkerDeploymentVersion{DeploymentName: name, BuildID: build}
	}
	for name, set := range map[string]func(*worker.Options, string){
		"worker identity":            func(o *worker.Options, text string) { o.Identity = text },
		"worker build id":            func(o *worker.Options, text string) { o.BuildID = text }, //nolint:staticcheck // still in use
		"worker deployment name":     func(o *worker.Options, text string) { deployment(o, text, "b") },
		"worker deployment build id": func(o *worker.Options, text string) { deployment(o, "d", text) },
		"worker plugin name":         func(o *worker.Options, text string) { o.Plugins = []worker.Plugin{bystander(t, text)} },
	} {
		o := worker.Options{}
		set(&o, p.text(name))
		queue := harness.ID("census-named")
		w, err := harness.NewWorker(p.c.client, queue, o)
		if err != nil {
			t.Fatal(err)
		}
		p.named(ctx, t, name, queue, w)
	}
}

// named runs a workflow on a worker with a name of its own.
func (p planter) named(ctx context.Context, t *testing.T, name, queue string, w worker.Worker) {
	t.Helper()
	p.c.registerWorkflows(w)
	err := w.Start()
	p.tried(name, err)
	if err != nil {
		return
	}
	defer w.Stop()
	run, err := p.c.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{TaskQueue: queue}, "Ends", p.cell(name).encoding, "nothing")
	if err == nil {
		err = run.Get(ctx, nil)
	}
	if err != nil {
		t.Error(err)
	}
}
