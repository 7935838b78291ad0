package integration_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"google.golang.org/protobuf/proto"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
)

// ref is the reference of the secret that every rig has, and deploy the name
// that its policy gives it.
const (
	ref    = "env:DEPLOY_TOKEN"
	deploy = "deploy"
)

// secretsSection begins every policy file of a rig.
const secretsSection = `version: 1
secrets:
  deploy: {ref: "env:DEPLOY_TOKEN", owner: release-eng, reason: push the release tag, review_by: 2099-01-01}
`

// rig is a task queue with a policy, a secret, and all that can be looked at
// afterwards.
type rig struct {
	queue string
	// secret is what the worker resolves DEPLOY_TOKEN to.
	secret string
	sink   *records
	log    *harness.Log
	// options are those of the guard.
	options guard.Options
	// client has the guard's plugin, plain has not.
	client, plain client.Client
	// handedOver is true once a run goes from one worker to another. A task that
	// the first was given while it stopped then times out, which is no fault.
	handedOver bool
}

// newRig makes a rig whose queue has the given entry in its policy file. change
// adjusts it before its clients are made.
func newRig(t *testing.T, entry string, change ...func(*rig)) *rig {
	t.Helper()
	r := &rig{queue: harness.Queue(t), secret: secretstest.Canary(t), sink: &records{}, log: &harness.Log{}}
	r.options = guard.Options{
		Policies: policies(t, queuePolicy(r.queue, entry)),
		Resolver: secretstest.Static(map[string]string{ref: r.secret}),
		Audit:    r.sink,
	}
	for _, c := range change {
		c(r)
	}
	r.client = server.Dial(t, client.Options{Logger: r.log, Plugins: []client.Plugin{plugin(t, r.options)}})
	r.plain = server.Dial(t, client.Options{Logger: r.log})
	return r
}

// other is the name of a second queue.
func (r *rig) other() string { return r.queue + "-other" }

// withOther gives a second queue an entry in the policy file.
func withOther(t *testing.T, own, other string) func(*rig) {
	t.Helper()
	return func(r *rig) {
		r.options.Policies = policies(t, queuePolicy(r.queue, own)+"  "+r.other()+":\n"+indent(other))
	}
}

// queuePolicy is a policy file with one queue in it.
func queuePolicy(queue, entry string) string {
	return secretsSection + "queues:\n  " + queue + ":\n" + indent(entry)
}

func indent(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("    " + line)
	}
	return b.String()
}

// worker starts a guarded worker on the rig's queue.
func (r *rig) worker(t *testing.T, register func(worker.Registry)) {
	t.Helper()
	harness.Worker(t, r.client, r.queue, worker.Options{}, register)
}

// start starts a workflow with the rig's queue for its id.
func (r *rig) start(ctx context.Context, t *testing.T, c client.Client, workflowType any, args ...any) client.WorkflowRun {
	t.Helper()
	options := client.StartWorkflowOptions{ID: r.queue, TaskQueue: r.queue}
	if r.handedOver {
		options.WorkflowTaskTimeout = 2 * time.Second
	}
	run, err := c.ExecuteWorkflow(ctx, options, workflowType, args...)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// family returns the runs of the rig's workflow, which must all be free of
// failed workflow tasks.
func (r *rig) family(ctx context.Context, t *testing.T) []harness.Run {
	t.Helper()
	family, err := harness.Family(ctx, r.plain, r.queue, "")
	if err != nil {
		t.Fatal(err)
	}
	for i, run := range family {
		failed := harness.FailedTasks(run.History)
		wrong := len(failed)
		if r.handedOver {
			wrong = harness.CountSteady(run.History)[enumspb.EVENT_TYPE_WORKFLOW_TASK_FAILED.String()]
		}
		if wrong != 0 {
			t.Errorf("run %d: failed workflow tasks: %q", i+1, failed)
		}
	}
	return family
}

// absent fails the test if anything of the values is visible on the server, in
// the log or in the audit.
func (r *rig) absent(ctx context.Context, t *testing.T, values ...string) {
	t.Helper()
	blobs, err := harness.VisibleFamily(ctx, r.plain, server.Namespace(), r.family(ctx, t))
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range values {
		for _, hit := range harness.Search(value, blobs) {
			t.Errorf("a value stands in %s", hit)
		}
	}
	data := append(harness.Data(blobs), r.log.Bytes(), r.sink.json(t))
	secretstest.AssertAbsent(t, values, slices.DeleteFunc(data, func(d []byte) bool { return len(d) == 0 })...)
}

// records is an audit sink that keeps everything.
type records struct {
	mu   sync.Mutex
	kept []audit.Record
}

func (r *records) Write(_ context.Context, record audit.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept = append(r.kept, record)
	return nil
}

func (r *records) all() []audit.Record {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.kept)
}

// of returns the records of one action.
func (r *records) of(action audit.Action) []audit.Record {
	return slices.DeleteFunc(r.all(), func(record audit.Record) bool { return record.Action != action })
}

func (r *records) json(t *testing.T) []byte {
	t.Helper()
	data, err := json.Marshal(r.all())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// rules lists the violations of a refusal, each as its path and its rule.
func rules(err error) []string {
	var list []string
	for _, v := range guard.Violations(err) {
		list = append(list, v.Path+" "+v.Rule)
	}
	return list
}

// event is one event of a history, to be searched.
func event(t *testing.T, e *historypb.HistoryEvent) []harness.Blob {
	t.Helper()
	data, err := proto.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return []harness.Blob{{Where: e.GetEventType().String(), Data: data}}
}
