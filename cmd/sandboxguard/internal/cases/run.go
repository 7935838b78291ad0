package cases

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	sdkinterceptor "go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/internal/sdkmethods"
	"github.com/sandboxguard/sandboxguard/secrets"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
	"github.com/sandboxguard/sandboxguard/validation"
)

// Result is what became of a case.
type Result struct {
	Case    Case
	Line    int // of the case in its file
	Outcome Outcome
	// Found are the violations, by which the call was refused or which were reported.
	Found []validation.Violation
	// Passed is whether that is what the case expects.
	Passed bool
}

// Rules returns the ids of the rules that were named, each once, in order.
func (r Result) Rules() []string {
	var ids []string
	for _, v := range r.Found {
		ids = append(ids, v.Rule)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Run tries every case. The error says which case could not be tried.
func (f *File) Run(policies *validation.Policies) ([]Result, error) {
	results := make([]Result, 0, len(f.Cases))
	for _, c := range f.Cases {
		r, err := c.run(policies, f.now)
		if err != nil {
			return nil, fmt.Errorf("cases: %q: %w", c.Name, err)
		}
		results = append(results, r)
	}
	return results, nil
}

func (c Case) run(policies *validation.Policies, now time.Time) (Result, error) {
	args := make([]any, 0, len(c.Arguments))
	for n := range c.Arguments {
		v, err := argument(&c.Arguments[n])
		if err != nil {
			return Result{}, err
		}
		args = append(args, v)
	}
	core, logs := observer.New(zap.WarnLevel)
	g, err := guard.New(guard.Options{
		Policies: policies, Resolver: secrets.ResolverFunc(madeUp), Audit: audit.Discard(), Logger: zap.New(core),
		TaskQueue: c.Queue, Now: func() time.Time { return now },
		// What a newer SDK adds is called by no case.
		Unguarded: sdkmethods.Unknown(nil),
	})
	r := Result{Case: c, Line: c.line, Outcome: Allow}
	if err != nil { // no entry covers the queue, so that a worker does not start
		r.Outcome, r.Found = Refuse, []validation.Violation{validation.NewViolation(validation.RuleQueueUnlisted, "")}
		r.Passed = c.expects(r)
		return r, nil
	}
	err = c.call(g, args)
	r.Found = guard.Violations(err)
	switch {
	case guard.IsRefused(err):
		r.Outcome = Refuse
	case err != nil:
		return Result{}, fmt.Errorf("the call failed for another reason than policy: are the arguments in form? %s", kindOf(err))
	default:
		r.Found = reported(logs)
		if len(r.Found) > 0 {
			r.Outcome = Report
		}
	}
	r.Passed = c.expects(r)
	return r, nil
}

// expects compares a result with what the case says.
func (c Case) expects(r Result) bool {
	if r.Outcome != c.Expect {
		return false
	}
	want := slices.Sorted(slices.Values(c.Rules))
	return len(want) == 0 || slices.Equal(slices.Compact(want), r.Rules())
}

// call makes the call in a workflow of the test environment.
func (c Case) call(g sdkinterceptor.WorkerInterceptor, args []any) error {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.NewTextHandler(io.Discard, nil))))
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []sdkinterceptor.WorkerInterceptor{g}})
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{ID: or(c.WorkflowID, "workflow-1"), TaskQueue: c.Queue})
	env.RegisterActivityWithOptions(activityWith(args), activity.RegisterOptions{Name: c.Activity})
	name := or(c.Workflow, "Workflow")
	env.RegisterWorkflowWithOptions(func(ctx workflow.Context) error {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
			StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 1},
		})
		return workflow.ExecuteActivity(ctx, c.Activity, args...).Get(ctx, nil)
	}, workflow.RegisterOptions{Name: name})
	env.ExecuteWorkflow(name)
	return env.GetWorkflowError()
}

// activityWith returns an activity that takes such arguments and does nothing.
func activityWith(args []any) any {
	in := []reflect.Type{reflect.TypeFor[context.Context]()}
	for _, arg := range args {
		typ := reflect.TypeFor[any]()
		if arg != nil {
			typ = reflect.TypeOf(arg)
		}
		in = append(in, typ)
	}
	failure := reflect.TypeFor[error]()
	return reflect.MakeFunc(reflect.FuncOf(in, []reflect.Type{failure}, false), func([]reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.Zero(failure)}
	}).Interface()
}

// madeUp resolves every reference to text that nobody knows.
func madeUp(context.Context, secrets.Request) (secrets.Resolution, error) {
	return secrets.NewResolution(rand.Text(), secrets.ResolutionInfo{}), nil
}

// reported reads what the guard logged as found.
func reported(logs *observer.ObservedLogs) []validation.Violation {
	var found []validation.Violation
	for _, entry := range logs.All() {
		fields := entry.ContextMap()
		rule, _ := fields["rule"].(string)
		path, _ := fields["path"].(string)
		if rule != "" {
			found = append(found, validation.NewViolation(rule, path))
		}
	}
	return found
}

// kindOf names the type of an error and not its text, which may quote arguments.
func kindOf(err error) string { return strings.TrimPrefix(fmt.Sprintf("%T", err), "*") }

func or(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}
