package sandboxhost_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"google.golang.org/grpc"

	"github.com/sandboxguard/sandboxguard/internal/bind"
	"github.com/sandboxguard/sandboxguard/internal/operation"
	"github.com/sandboxguard/sandboxguard/sandbox"
	"github.com/sandboxguard/sandboxguard/sandbox/backend"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxhost"
	"github.com/sandboxguard/sandboxguard/sandbox/sandboxtest"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

const provider = "local"

// rig is a host over a backend in memory, a server, and the workflows that call it.
type rig struct {
	tb     testing.TB
	dir    string
	fake   *sandboxtest.Fake
	faults *sandboxtest.Faults
	server *server
	audit  *records
	host   *sandboxhost.Host
	stop   func() error // ends Run and returns what it returned
}

// newRig returns a host that runs.
func newRig(tb testing.TB, change ...func(*sandboxhost.Options)) *rig {
	tb.Helper()
	r := &rig{tb: tb, dir: filepath.Join(tb.TempDir(), "sessions"), fake: sandboxtest.NewFake(), server: newServer(), audit: new(records)}
	r.run(change...)
	return r
}

// run starts a host on the directory of the rig.
func (r *rig) run(change ...func(*sandboxhost.Options)) {
	r.tb.Helper()
	if r.host != nil {
		r.host.Abandon()
	}
	r.faults = sandboxtest.NewFaults(r.fake)
	r.host = r.newHost(r.faults, change...)
	r.serve()
}

// serve runs the host.
func (r *rig) serve() {
	r.tb.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.host.Serve(ctx, r.server) }()
	r.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	stop := r.stop
	r.tb.Cleanup(func() { _ = stop() })
	select {
	case <-r.host.Ready():
	case err := <-ended:
		r.tb.Fatalf("Run: %v", err)
	}
}

func (r *rig) newHost(b backend.Backend, change ...func(*sandboxhost.Options)) *sandboxhost.Host {
	r.tb.Helper()
	o := sandboxhost.Options{Dir: r.dir, Audit: r.audit}
	for _, f := range change {
		f(&o)
	}
	h, err := sandboxhost.New(provider, b, o)
	if err != nil {
		r.tb.Fatalf("New: %v", err)
	}
	return h
}

// restart goes on with another process of the host, as after kill -9.
func (r *rig) restart(change ...func(*sandboxhost.Options)) {
	r.tb.Helper()
	r.fake.Kill()
	r.fake = r.fake.Another()
	r.run(change...)
}

// who is a workflow that calls an activity.
type who struct {
	interceptor.WorkerInterceptorBase
	workflow, run, activity string
	attempt                 int32
	gone                    <-chan struct{} // closed when the attempt is cancelled
	binder                  bind.Binder
	log                     slog.Handler // of the worker; nil is none
}

var owner = who{workflow: "w", run: "run-1"}

var activities struct {
	sync.Mutex
	n int
}

// call carries an activity out as a worker does.
func call[R any](r *rig, w who, name operation.Name, args any) (out R, err error) {
	return callOn[R](r.host, w, name, args)
}

func callOn[R any](h *sandboxhost.Host, w who, name operation.Name, args any) (out R, err error) {
	if w.activity == "" {
		activities.Lock()
		activities.n++
		w.activity = fmt.Sprint(activities.n)
		activities.Unlock()
	}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(slog.New(cmp.Or(w.log, slog.DiscardHandler))))
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{&w}})
	h.Register(env)
	result, err := env.ExecuteActivity(name.Activity(provider), args)
	if err == nil && result.HasValue() {
		err = result.Get(&out)
	}
	return out, err
}

func (w *who) InterceptActivity(ctx context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &inbound{ActivityInboundInterceptorBase: interceptor.ActivityInboundInterceptorBase{Next: next}, who: w}
}

type inbound struct {
	interceptor.ActivityInboundInterceptorBase
	who *who
}

func (i *inbound) Init(out interceptor.ActivityOutboundInterceptor) error {
	return i.Next.Init(&outbound{ActivityOutboundInterceptorBase: interceptor.ActivityOutboundInterceptorBase{Next: out}, who: i.who})
}

func (i *inbound) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	if i.who.binder != nil {
		ctx = bind.With(ctx, i.who.binder)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		select {
		case <-i.who.gone:
		case <-ctx.Done():
		}
	}()
	return i.Next.ExecuteActivity(ctx, in)
}

type outbound struct {
	interceptor.ActivityOutboundInterceptorBase
	who *who
}

func (o *outbound) GetInfo(ctx context.Context) activity.Info {
	info := o.Next.GetInfo(ctx)
	info.Namespace, info.ActivityID, info.Attempt = "default", o.who.activity, max(1, o.who.attempt)
	info.WorkflowExecution.ID, info.WorkflowExecution.RunID = o.who.workflow, o.who.run
	if o.who.workflow == "" {
		info.WorkflowType = nil
	}
	return info
}

// server knows workflows.
type server struct {
	mu     sync.Mutex
	runs   map[string][]run // by workflow id, the latest last
	failed error
	asked  int
}

type run struct {
	id, first string
	status    enumspb.WorkflowExecutionStatus
}

const (
	open   = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	closed = enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED
	goesOn = enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW
)

func newServer() *server {
	return &server{runs: map[string][]run{"w": {{"run-1", "run-1", open}}, "other": {{"run-9", "run-9", open}}}}
}

// set changes the runs of the owner.
func (s *server) set(runs ...run) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs["w"] = runs
}

func (s *server) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = err
}

func (s *server) questions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *server) DescribeWorkflowExecution(_ context.Context, in *workflowservice.DescribeWorkflowExecutionRequest, _ ...grpc.CallOption) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.failed != nil {
		return nil, s.failed
	}
	for _, r := range slices.Backward(s.runs[in.Execution.WorkflowId]) {
		if in.Namespace == "default" && (in.Execution.RunId == "" || in.Execution.RunId == r.id) {
			return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{
				Execution: &commonpb.WorkflowExecution{WorkflowId: in.Execution.WorkflowId, RunId: r.id}, FirstRunId: r.first, Status: r.status,
			}}, nil
		}
	}
	return nil, serviceerror.NewNotFound("no such workflow")
}

// records is an audit sink.
type records struct {
	mu   sync.Mutex
	all  []audit.Record
	wait chan struct{} // closed when a sink may go on, nil if it may
}

func (r *records) Write(ctx context.Context, rec audit.Record) error {
	if r.wait != nil {
		select {
		case <-r.wait:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, rec)
	return nil
}

// create makes a session and starts it.
func (r *rig) create(m sandbox.Manifest) sandbox.SessionState {
	r.tb.Helper()
	out, err := call[operation.SessionResult](r, owner, operation.Create, operation.CreateArgs{Manifest: &m})
	if err != nil {
		r.tb.Fatalf("create: %v", err)
	}
	if _, err := call[any](r, owner, operation.Start, operation.StateArgs{State: out.State}); err != nil {
		r.tb.Fatalf("start: %v", err)
	}
	return out.State
}

// errorType is the type of the application error with which an activity ended, empty if there is none.
func errorType(err error) string {
	var app *temporal.ApplicationError
	if !errors.As(err, &app) {
		return ""
	}
	return app.Type()
}

// final reports whether an error is not retried.
func final(err error) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.NonRetryable()
}
