package samples

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
)

// Sample is one program with what it takes to run and to replay it.
type Sample struct {
	// Name is unique, in kebab case, and names the recorded histories.
	Name string
	// Workflows registers the workflow code, with a worker or a replayer. Nil
	// means that the program leaves no history.
	Workflows func(worker.WorkflowRegistry)
	// Activities registers the activities. Nil has none.
	Activities func(worker.ActivityRegistry)
	// Client is what the program sets on its client: converters, propagators,
	// interceptors.
	Client client.Options
	// Worker is what the program sets on its worker.
	Worker worker.Options
	// Beside begins what runs beside the worker, on its client, until it is
	// stopped. Nil is nothing.
	Beside func(ctx context.Context, c client.Client, taskQueue string) (stop func() error, err error)
	// Drive runs the program to its end.
	Drive func(context.Context, Env) (Outcome, error)
	// Want is the result that Drive has every time, as JSON. Empty accepts any.
	Want string
	// Racing are the types of events whose number is left to chance.
	Racing []enumspb.EventType
	// Unreplayable says why the SDK's replayer cannot replay the sample, with
	// or without a guard. Empty means that it can.
	Unreplayable string
}

// Env is where a sample is driven.
type Env struct {
	Client client.Client
	// Namespace is the client's own.
	Namespace string
	TaskQueue string
	// WorkflowID is the id of the program's main workflow, and the prefix of
	// any other id that it needs.
	WorkflowID string
}

// Outcome is what a program came to.
type Outcome struct {
	// Result holds nothing that differs between two executions: no id, no
	// time, no name of a machine.
	Result any
	// Roots are the executions that the program began with. Nil means the
	// first run of Env.WorkflowID. Empty means that there is no workflow.
	Roots []workflow.Execution
}

// Register registers all of the sample's code with a worker.
func (s Sample) Register(r worker.Registry) {
	if s.Workflows != nil {
		s.Workflows(r)
	}
	if s.Activities != nil {
		s.Activities(r)
	}
}

// Replayer returns the replayer's part of the sample's options.
func (s Sample) Replayer() worker.WorkflowReplayerOptions {
	// As in a worker, what the client brings along comes first.
	var interceptors []interceptor.WorkerInterceptor
	for _, i := range s.Client.Interceptors {
		if w, ok := i.(interceptor.WorkerInterceptor); ok {
			interceptors = append(interceptors, w)
		}
	}
	return worker.WorkflowReplayerOptions{
		DataConverter:      s.Client.DataConverter,
		FailureConverter:   s.Client.FailureConverter,
		ContextPropagators: s.Client.ContextPropagators,
		Interceptors:       append(interceptors, s.Worker.Interceptors...),
	}
}

// Check compares a result with the one that the sample must have. Both are
// compacted first, so that only their contents count.
func (s Sample) Check(result any) error {
	if s.Want == "" {
		return nil
	}
	got, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("samples: encode result of %s: %w", s.Name, err)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, []byte(s.Want)); err != nil {
		return fmt.Errorf("samples: %s wants something that is not JSON: %w", s.Name, err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		return fmt.Errorf("samples: result of %s is %s, want %s", s.Name, got, want.Bytes())
	}
	return nil
}

// start starts the program's main workflow.
func (e Env) start(ctx context.Context, w any, args ...any) (client.WorkflowRun, error) {
	return e.Client.ExecuteWorkflow(ctx, e.options(), w, args...)
}

// options are those of the program's main workflow.
func (e Env) options() client.StartWorkflowOptions {
	return client.StartWorkflowOptions{ID: e.WorkflowID, TaskQueue: e.TaskQueue}
}

// signal sends one signal to the latest run of the main workflow.
func (e Env) signal(ctx context.Context, name string, arg any) error {
	return e.Client.SignalWorkflow(ctx, e.WorkflowID, "", name, arg)
}

// outcome waits for a run and returns its result.
func outcome[T any](ctx context.Context, run client.WorkflowRun) (Outcome, error) {
	var result T
	if err := run.Get(ctx, &result); err != nil {
		return Outcome{}, err
	}
	return Outcome{Result: result}, nil
}

// simple drives a workflow that needs nothing but its arguments.
func simple[T any](w any, args ...any) func(context.Context, Env) (Outcome, error) {
	return func(ctx context.Context, e Env) (Outcome, error) {
		run, err := e.start(ctx, w, args...)
		if err != nil {
			return Outcome{}, err
		}
		return outcome[T](ctx, run)
	}
}

// workflows registers functions under their own names.
func workflows(functions ...any) func(worker.WorkflowRegistry) {
	return func(r worker.WorkflowRegistry) {
		for _, f := range functions {
			r.RegisterWorkflow(f)
		}
	}
}

// activities registers functions under their own names.
func activities(functions ...any) func(worker.ActivityRegistry) {
	return func(r worker.ActivityRegistry) {
		for _, f := range functions {
			r.RegisterActivity(f)
		}
	}
}

// named registers functions under names of their own.
func named(functions map[string]any) func(worker.ActivityRegistry) {
	return func(r worker.ActivityRegistry) {
		for name, f := range functions {
			r.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: name})
		}
	}
}

// quick is for activities that end by themselves. A failed one is tried again
// without delay.
func quick(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 30 * time.Second,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: time.Millisecond, MaximumAttempts: 5},
	})
}
