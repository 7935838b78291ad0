package sandboxclient_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxclient"
)

const (
	provider  = "local"
	sessionID = "5b8f7c1e-2222-4333-8444-555555555555"
	ownQueue  = "host-7"
	baseQueue = "default-test-taskqueue"
)

var client = sandboxclient.New(provider, sandboxclient.Options{})

// A host plays the part of a worker that hosts sandboxes: it notes what it is asked, and answers as it is told.
type host struct {
	mu sync.Mutex
	// calls are the operations and the queues they came on, args what they were asked with.
	calls []string
	args  []any
	// options are those that each operation was scheduled with last.
	options map[operation.Name]workflow.ActivityOptions
	// refuse are the operations that a guard in workflow code refuses.
	refuse map[operation.Name]error
	// bases are the base queues that were told to the guard with each operation last.
	bases map[operation.Name]string
	// fails are the errors of the next calls of an operation, nil for one that succeeds.
	fails map[operation.Name][]error
	// queues are the own queues that create and the resumes tell.
	queues []string
	// exec runs commands, if it is not nil.
	exec func(context.Context, operation.ExecArgs) (operation.ExecResult, error)
	// created is called in workflow code when a sandbox was made, before the client sees it.
	created func()
	// written is called in workflow code when a file was written, before the client knows.
	written func()
	// started is called in workflow code when a sandbox was started, before the client knows.
	started func(workflow.Context)
	// lost are the queues that no worker serves: what is sent there waits and is not noted.
	lost []string
	// id, if it is not nil, is the id that create and the resumes answer with.
	id *string
	// screens are the answers of the terminal, in order.
	screens []operation.PTYResult
	// files are those of the workspace by their path.
	files map[string]string
}

func newHost() *host {
	return &host{
		options: map[operation.Name]workflow.ActivityOptions{},
		bases:   map[operation.Name]string{},
		fails:   map[operation.Name][]error{},
		files:   map[string]string{},
		queues:  []string{ownQueue},
	}
}

// seen are the operations that came, without queues and the two that make a sandbox.
func (h *host) seen() []string {
	var out []string
	for _, c := range h.calls {
		if op, _, _ := strings.Cut(c, "@"); op != "create" && op != "start" {
			out = append(out, op)
		}
	}
	return out
}

// called notes a call and returns the error that it is to end with.
func (h *host) called(ctx context.Context, op operation.Name, args any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := string(op)[strings.LastIndexByte(strings.TrimSuffix(string(op), "_workspace"), '_')+1:]
	if op == operation.PTYExec {
		name = "open"
	}
	h.calls = append(h.calls, strings.TrimSuffix(name, "_workspace")+"@"+activity.GetInfo(ctx).TaskQueue)
	h.args = append(h.args, args)
	if next := h.fails[op]; len(next) > 0 {
		h.fails[op] = next[1:]
		return next[0]
	}
	return nil
}

func (h *host) session(s sandbox.SessionState) operation.SessionResult {
	h.mu.Lock()
	defer h.mu.Unlock()
	queue := h.queues[0]
	if len(h.queues) > 1 {
		h.queues = h.queues[1:]
	}
	if h.id != nil {
		s.SessionID = *h.id
	}
	return operation.SessionResult{State: s, HostQueue: queue}
}

// screen is what the terminal shows next: nothing after the last.
func (h *host) screen() operation.PTYResult {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.screens) == 0 {
		return operation.PTYResult{Output: []byte{}}
	}
	next := h.screens[0]
	h.screens = h.screens[1:]
	return next
}

// register gives env the activities of the host.
func (h *host) register(env *testsuite.TestWorkflowEnvironment) {
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{&recorder{host: h}}})
	add := func(op operation.Name, f any) {
		env.RegisterActivityWithOptions(f, activity.RegisterOptions{Name: op.Activity(provider)})
	}
	add(operation.Create, func(ctx context.Context, args operation.CreateArgs) (operation.SessionResult, error) {
		state := sandbox.SessionState{
			Type: sandbox.ClientUnixLocal, SessionID: sessionID, WorkspaceRootOwned: true, ExposedPorts: []int{80},
			Snapshot: sandbox.Snapshot{Type: sandbox.SnapshotLocal, ID: "s", BasePath: "/base"},
		}
		if args.Manifest != nil {
			state.Manifest = *args.Manifest
		}
		state.Manifest.Root = "/workspace"
		return h.session(state), h.called(ctx, operation.Create, args)
	})
	add(operation.Resume, func(ctx context.Context, args operation.StateArgs) (operation.SessionResult, error) {
		return h.session(args.State), h.called(ctx, operation.Resume, args)
	})
	for _, op := range []operation.Name{operation.Stop, operation.Shut, operation.Delete} {
		add(op, func(ctx context.Context, args operation.StopArgs) error { return h.called(ctx, op, args) })
	}
	add(operation.Start, func(ctx context.Context, args operation.StateArgs) error {
		return h.called(ctx, operation.Start, args)
	})
	add(operation.Running, func(ctx context.Context, args operation.StateArgs) (operation.RunningResult, error) {
		return operation.RunningResult{IsRunning: true}, h.called(ctx, operation.Running, args)
	})
	add(operation.Persist, func(ctx context.Context, args operation.StateArgs) (operation.DataResult, error) {
		return operation.DataResult{Data: []byte("archive")}, h.called(ctx, operation.Persist, args)
	})
	add(operation.Hydrate, func(ctx context.Context, args operation.HydrateArgs) error {
		return h.called(ctx, operation.Hydrate, args)
	})
	add(operation.Exec, func(ctx context.Context, args operation.ExecArgs) (operation.ExecResult, error) {
		if err := h.called(ctx, operation.Exec, args); err != nil || h.exec == nil {
			return operation.ExecResult{Stdout: []byte("out"), Stderr: []byte{}, ExitCode: 3}, err
		}
		return h.exec(ctx, args)
	})
	add(operation.PTYExec, func(ctx context.Context, args operation.PTYExecArgs) (operation.PTYResult, error) {
		return h.screen(), h.called(ctx, operation.PTYExec, args)
	})
	add(operation.PTYSend, func(ctx context.Context, args operation.PTYSendArgs) (operation.PTYResult, error) {
		return h.screen(), h.called(ctx, operation.PTYSend, args)
	})
	add(operation.Read, func(ctx context.Context, args operation.ReadArgs) (operation.DataResult, error) {
		err := h.called(ctx, operation.Read, args)
		h.mu.Lock()
		defer h.mu.Unlock()
		data, ok := h.files[args.Path]
		if err == nil && !ok {
			err = temporal.NewNonRetryableApplicationError("file not found: it", "workspace_read_not_found", nil)
		}
		return operation.DataResult{Data: []byte(data)}, err
	})
	add(operation.Write, func(ctx context.Context, args operation.WriteArgs) error {
		err := h.called(ctx, operation.Write, args)
		h.mu.Lock()
		defer h.mu.Unlock()
		if err == nil {
			h.files[args.Path] = string(args.Data)
		}
		return err
	})
}

// programs runs the programs of the composed operations on the files of the host.
func (h *host) programs(_ context.Context, args operation.ExecArgs) (operation.ExecResult, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	name := args.Command[len(args.Command)-1]
	_, found := h.files[name]
	result := operation.ExecResult{Stdout: []byte{}, Stderr: []byte{}}
	switch args.Command[0] {
	case "test", "rm":
		if !found && args.Command[1] != "-rf" {
			result.ExitCode = 1
		}
	}
	if args.Command[0] == "rm" {
		delete(h.files, name)
	}
	return result, nil
}

// recorder notes the options of activities.
type recorder struct {
	interceptor.WorkerInterceptorBase
	host *host
}

func (r *recorder) InterceptWorkflow(ctx workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	in := &inbound{host: r.host}
	in.Next = next
	return in
}

type inbound struct {
	interceptor.WorkflowInboundInterceptorBase
	host *host
}

func (i *inbound) Init(out interceptor.WorkflowOutboundInterceptor) error {
	next := &outbound{host: i.host}
	next.Next = out
	return i.Next.Init(next)
}

type outbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	host *host
}

func (o *outbound) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	o.host.mu.Lock()
	op := operation.Name(strings.TrimPrefix(name, provider+"-"))
	o.host.options[op], o.host.bases[op] = workflow.GetActivityOptions(ctx), bind.Queue(ctx)
	refused, lost := o.host.refuse[op], slices.Contains(o.host.lost, o.host.options[op].TaskQueue)
	o.host.mu.Unlock()
	if lost {
		future, settable := workflow.NewFuture(ctx)
		limit := workflow.GetActivityOptions(ctx).ScheduleToStartTimeout
		workflow.Go(ctx, func(ctx workflow.Context) { settable.SetError(errors.Join(workflow.Sleep(ctx, limit), noHost)) })
		return future
	}
	if refused != nil {
		future, settable := workflow.NewFuture(ctx)
		settable.SetError(refused)
		return future
	}
	future := o.Next.ExecuteActivity(ctx, name, args...)
	then := o.host.started
	if f := map[operation.Name]func(){operation.Create: o.host.created, operation.Write: o.host.written}[op]; f != nil {
		then = func(workflow.Context) { f() }
	} else if op != operation.Start {
		then = nil
	}
	if then == nil {
		return future
	}
	later, settable := workflow.NewFuture(ctx)
	workflow.Go(ctx, func(ctx workflow.Context) {
		var result operation.SessionResult
		err := future.Get(ctx, &result)
		then(ctx)
		settable.Set(result, err)
	})
	return later
}

// environment is one with the activities of a host.
func environment(h *host) *testsuite.TestWorkflowEnvironment {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
	env := suite.NewTestWorkflowEnvironment()
	h.register(env)
	return env
}

// run runs workflow code against a host and returns its error.
func run(t *testing.T, h *host, code func(workflow.Context) error) error {
	t.Helper()
	env := environment(h)
	env.ExecuteWorkflow(code)
	if !env.IsWorkflowCompleted() {
		t.Fatal("the workflow did not end")
	}
	return env.GetWorkflowError()
}

// within runs code with a sandbox that was made.
func within(t *testing.T, h *host, code func(workflow.Context, *sandboxclient.Sandbox) error) error {
	t.Helper()
	return run(t, h, func(ctx workflow.Context) error {
		box, err := client.Create(ctx, empty)
		if err != nil {
			t.Errorf("create: %v", err)
			return err
		}
		return code(ctx, box)
	})
}

var empty = sandbox.RunConfig{Sandbox: &sandbox.SandboxRunConfig{}}

// argsOf are the arguments of type T that came, in order.
func argsOf[T any](h *host) []T {
	var out []T
	for _, a := range h.args {
		if a, ok := a.(T); ok {
			out = append(out, a)
		}
	}
	return slices.Clip(out)
}

// answer is an error that a host answers with.
func answer(kind string) error {
	return temporal.NewNonRetryableApplicationError("the host's words", kind, nil)
}
