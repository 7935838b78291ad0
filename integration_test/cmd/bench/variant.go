package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
	"github.com/sandboxguard/sandboxguard/validation"
)

// How much an activity gets and returns.
const (
	entries    = 50
	references = 5
	resultSize = 10 << 10
	known      = 10 // secrets of the worker
)

// A variant is a worker, with the plugin or without, and a client of its own.
type variant struct {
	name     string
	client   client.Client
	worker   worker.Worker
	queue    string
	manifest sandbox.Manifest

	left  atomic.Int64
	ended chan time.Time // gets the end of the last activity of a round
}

// expect begins a round of n activities.
func (v *variant) expect(n int) <-chan time.Time {
	v.ended = make(chan time.Time, 1)
	v.left.Store(int64(n))
	return v.ended
}

// result is what an activity returns.
type result struct {
	Stdout string `json:"stdout"`
}

// run is the activity.
func (v *variant) run(context.Context, sandbox.Manifest) (result, error) {
	out := result{strings.Repeat("a few words of output and a number 17\n", resultSize/38)}
	if v.left.Add(-1) == 0 {
		v.ended <- time.Now()
	}
	return out, nil
}

const activityName = "StartJob"

// jobs is the workflow: activities, one after another.
func jobs(ctx workflow.Context, n int, m sandbox.Manifest) error {
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute})
	for range n {
		if err := workflow.ExecuteActivity(ctx, activityName, m).Get(ctx, nil); err != nil {
			return err
		}
	}
	return nil
}

func variants(server *harness.Server) ([]*variant, error) {
	plugin, err := plugin()
	if err != nil {
		return nil, err
	}
	var all []*variant
	for _, name := range []string{"plain", "plain again", "guarded"} {
		var o client.Options
		if name == "guarded" {
			o.Plugins = []client.Plugin{plugin}
		}
		v := &variant{name: name, queue: harness.ID("bench"), manifest: manifest()}
		if v.client, err = server.Client(o); err != nil {
			return nil, err
		}
		if v.worker, err = harness.NewWorker(v.client, v.queue, worker.Options{}); err != nil {
			return nil, err
		}
		v.worker.RegisterWorkflow(jobs)
		v.worker.RegisterActivityWithOptions(v.run, activity.RegisterOptions{Name: activityName})
		if err := v.worker.Start(); err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// plugin grants the references of the manifest, and knows more secrets than those.
func plugin() (client.Plugin, error) {
	var listed, grants strings.Builder
	values := map[string]string{}
	for i := range known {
		name := variable(i)
		values["env:"+name] = rand.Text() + rand.Text()
		fmt.Fprintf(&listed, "  secret-%d: {ref: \"env:%s\", owner: bench, reason: measured, review_by: 2099-01-01}\n", i, name)
		fmt.Fprintf(&grants, "    - {secret: secret-%d, to: {env: %s}}\n", i, name)
	}
	policy := "version: 1\nsecrets:\n" + listed.String() + "default:\n  mode: enforce\n  sandbox: {entries: [file]}\n  grants:\n" + grants.String()
	policies, err := validation.ParsePolicies("policy.yaml", []byte(policy))
	if err != nil {
		return nil, err
	}
	return guard.NewPlugin(guard.Options{Policies: policies, Resolver: secretstest.Static(values)})
}

func variable(i int) string { return fmt.Sprintf("TOKEN_%d", i) }

func manifest() sandbox.Manifest {
	m := sandbox.Manifest{Entries: map[string]sandbox.Entry{}, Environment: sandbox.Environment{Values: map[string]sandbox.EnvValue{}}}
	for i := range entries {
		m.Entries[fmt.Sprintf("dir%d/file%d.txt", i%10, i)] = sandbox.Entry{
			Type: sandbox.EntryFile, Content: "the quick brown fox jumps over the lazy dog",
			Permissions: &sandbox.Permissions{Owner: 6, Group: 4, Other: 4},
		}
	}
	for i := range references {
		m.Environment.Values[variable(i)] = sandbox.EnvSecret(secrets.Env(variable(i)))
	}
	return m
}
