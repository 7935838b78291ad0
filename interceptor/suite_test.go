package interceptor_test

import (
	"context"
	"errors"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/secrets/secretstest"
	"github.com/sandboxguard/sandboxguard/validation"
)

// testQueue is the task queue of the SDK's test environment.
const testQueue = "default-test-taskqueue"

// canary is a secret's value in these tests.
const canary = "canary-5f1d0c7a9be24c68"

const secretsSection = `version: 1
secrets:
  deploy: {ref: "env:DEPLOY_TOKEN", owner: release-eng, reason: push the release tag, review_by: 2099-01-01}
  other: {ref: "env:OTHER_TOKEN", owner: release-eng, reason: another one, review_by: 2099-01-01}
  stale: {ref: "env:STALE_TOKEN", owner: release-eng, reason: forgotten, review_by: 2020-01-01}
`

func policies(tb testing.TB, queues string) *validation.Policies {
	tb.Helper()
	return parsed(tb, secretsSection+queues)
}

func parsed(tb testing.TB, file string) *validation.Policies {
	tb.Helper()
	p, err := validation.ParsePolicies("policy.yaml", []byte(file))
	if err != nil {
		tb.Fatalf("policy: %v", err)
	}
	return p
}

// queuePolicy is a policy file with one enforcing entry for the test queue.
func queuePolicy(tb testing.TB, entry string) *validation.Policies {
	tb.Helper()
	return policies(tb, "queues:\n  "+testQueue+":\n    mode: enforce\n"+indent(entry))
}

func indent(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		b.WriteString("    " + line)
	}
	return b.String()
}

// memorySink keeps audit records.
type memorySink struct {
	mu      sync.Mutex
	records []audit.Record
	grown   chan struct{}
}

func (m *memorySink) Write(_ context.Context, r audit.Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.records = append(m.records, r)
	if m.grown != nil {
		close(m.grown)
		m.grown = nil
	}
	return nil
}

// await waits until there are n records: those of workflow code are written by a
// goroutine of the guard.
func (m *memorySink) await(tb testing.TB, n int) {
	tb.Helper()
	for {
		m.mu.Lock()
		if len(m.records) >= n {
			m.mu.Unlock()
			return
		}
		if m.grown == nil {
			m.grown = make(chan struct{})
		}
		grown := m.grown
		m.mu.Unlock()
		select {
		case <-grown:
		case <-time.After(10 * time.Second):
			tb.Fatalf("there are no %d records", n)
		}
	}
}

// only returns the records of an action.
func (m *memorySink) only(action audit.Action) []audit.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []audit.Record
	for _, r := range m.records {
		if r.Action == action {
			out = append(out, r)
		}
	}
	return out
}

func (m *memorySink) actions() map[audit.Action]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	count := map[audit.Action]int{}
	for _, r := range m.records {
		count[r.Action]++
	}
	return count
}

var values = map[string]string{"env:DEPLOY_TOKEN": canary, "env:OTHER_TOKEN": "other-0a1b2c3d4e5f6071", "env:STALE_TOKEN": "stale-0a1b2c3d4e5f6071"}

func options(tb testing.TB, entry string) guard.Options {
	tb.Helper()
	return guard.Options{
		Policies: queuePolicy(tb, entry), Resolver: secretstest.Static(maps.Clone(values)), Audit: &memorySink{},
		TaskQueue: testQueue, Unguarded: unguarded(tb),
	}
}

// environment is a workflow test environment with the guard in it, and the log of
// everything that was encoded.
func environment(tb testing.TB, opts guard.Options, around ...interceptor.WorkerInterceptor) *testsuite.TestWorkflowEnvironment {
	tb.Helper()
	g, err := guard.New(opts)
	if err != nil {
		tb.Fatalf("New: %v", err)
	}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(discard{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: append(around, g)})
	return env
}

type discard struct{}

func (discard) Debug(string, ...any) {}
func (discard) Info(string, ...any)  {}
func (discard) Warn(string, ...any)  {}
func (discard) Error(string, ...any) {}

var _ log.Logger = discard{}

// run executes a workflow and returns its error.
func run(tb testing.TB, env *testsuite.TestWorkflowEnvironment, wf any, args ...any) error {
	tb.Helper()
	env.RegisterWorkflow(wf)
	env.ExecuteWorkflow(wf, args...)
	if !env.IsWorkflowCompleted() {
		tb.Fatal("the workflow did not end")
	}
	return env.GetWorkflowError()
}

// wantRule fails unless err is a refusal with exactly these rules.
func wantRules(tb testing.TB, err error, rules ...string) {
	tb.Helper()
	if !guard.IsRefused(err) {
		tb.Fatalf("got %v, want a refusal", err)
	}
	var got []string
	for _, v := range guard.Violations(err) {
		got = append(got, v.Rule)
	}
	if strings.Join(got, " ") != strings.Join(rules, " ") {
		tb.Fatalf("rules %v, want %v\n%v", got, rules, err)
	}
}

// tagInput is the struct of an activity written before the guard.
type tagInput struct {
	Repo  string `json:"repo"`
	Token string `json:"token"`
}

// typedInput is the same with the type that names secrets.
type typedInput struct {
	Repo  string        `json:"repo"`
	Token secrets.Value `json:"token"`
}

var errSaid = errors.New("it said so")

func options60(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: 60e9})
}

func named(name string) activity.RegisterOptions { return activity.RegisterOptions{Name: name} }

var activityDynamic = activity.DynamicRegisterOptions{}

// pushAll calls the activity Push with several arguments.
func pushAll(args ...any) func(workflow.Context) error {
	return func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(options60(ctx), "Push", args...).Get(ctx, nil)
	}
}

// otherWorkflow calls an activity that no grant names.
func otherWorkflow(in any) func(workflow.Context) error {
	return func(ctx workflow.Context) error {
		return workflow.ExecuteActivity(options60(ctx), "Other", in).Get(ctx, nil)
	}
}

func retries(attempts int32) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{InitialInterval: time.Millisecond, MaximumAttempts: attempts}
}
