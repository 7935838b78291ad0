package interceptor_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	guard "github.com/sandboxguard/sandboxguard/interceptor"
	"github.com/sandboxguard/sandboxguard/secrets/audit"
)

// A rig is a plugin between the client options and the worker options that the
// SDK would hand it.
type rig struct {
	plugin *temporal.SimplePlugin
	client client.Options
	worker worker.Options
}

func newRig(tb testing.TB, opts guard.Options) *rig {
	tb.Helper()
	p, err := guard.NewPlugin(opts)
	if err != nil {
		tb.Fatal(err)
	}
	return &rig{plugin: p, client: client.Options{Logger: discard{}}}
}

// configure does what client.Dial and worker.New do.
func (r *rig) configure(tb testing.TB) {
	tb.Helper()
	r.configureOn(tb, testQueue)
}

// configureOn is configure with a worker of another task queue.
func (r *rig) configureOn(tb testing.TB, queue string) {
	tb.Helper()
	if err := r.plugin.ConfigureClient(tb.Context(), client.PluginConfigureClientOptions{ClientOptions: &r.client}); err != nil {
		tb.Fatal(err)
	}
	if err := r.plugin.ConfigureWorker(tb.Context(), worker.PluginConfigureWorkerOptions{
		WorkerInstanceKey: "key", TaskQueue: queue, WorkerOptions: &r.worker,
	}); err != nil {
		tb.Fatal(err)
	}
}

// start does what Worker.Start does, up to the first poll.
func (r *rig) start(ctx context.Context) (started bool, err error) {
	err = r.plugin.StartWorker(ctx, worker.PluginStartWorkerOptions{WorkerInstanceKey: "key"},
		func(context.Context, worker.PluginStartWorkerOptions) error { started = true; return nil })
	return started, err
}

// interceptors is the list that a worker runs with: the client's come first.
func (r *rig) interceptors() []interceptor.WorkerInterceptor {
	var list []interceptor.WorkerInterceptor
	for _, i := range r.client.Interceptors {
		if w, ok := i.(interceptor.WorkerInterceptor); ok {
			list = append(list, w)
		}
	}
	return append(list, r.worker.Interceptors...)
}

// both is a user's interceptor for clients and workers.
type both struct {
	interceptor.InterceptorBase
	spy *spy
}

var _ interceptor.Interceptor = (*both)(nil)

func (b *both) InterceptWorkflow(ctx workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return b.spy.InterceptWorkflow(ctx, next)
}

func (b *both) InterceptActivity(ctx context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return b.spy.InterceptActivity(ctx, next)
}

// TestPluginStandsInnermost: whatever the user has, on the client and on the
// worker, sees neither a refused call nor a value.
func TestPluginStandsInnermost(t *testing.T) {
	onClient, onWorker := &spy{}, &spy{}
	opts := options(t, bindReplace)
	r := newRig(t, opts)
	r.client.Interceptors = []interceptor.ClientInterceptor{&both{spy: onClient}}
	r.worker.Interceptors = []interceptor.WorkerInterceptor{onWorker}
	r.configure(t)
	if started, err := r.start(t.Context()); !started || err != nil {
		t.Fatalf("started %v, %v", started, err)
	}
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(discard{})
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: r.interceptors()})
	var got tagInput
	env.RegisterActivityWithOptions(func(_ context.Context, in tagInput) (string, error) { got = in; return in.Token, nil }, named("Push"))
	if err := run(t, env, func(ctx workflow.Context) error {
		if err := workflow.UpsertMemo(ctx, map[string]any{"k": githubToken}); !guard.IsRefused(err) {
			t.Errorf("got %v", err)
		}
		return pushWorkflow(tagInput{})(ctx)
	}); err != nil {
		t.Fatal(err)
	}
	if got.Token != canary {
		t.Errorf("the activity got %q", got.Token)
	}
	for name, s := range map[string]*spy{"client's": onClient, "worker's": onWorker} {
		for _, method := range []string{"activity in", "activity out"} {
			if c := s.calls(method); len(c) != 1 || holds(c[0].args[:1], canary) {
				t.Errorf("the %s interceptor, %s: %v", name, method, c)
			}
		}
	}
	// Both see what workflow code asks for, since they stand outside.
	if len(onClient.calls("UpsertMemo")) != 1 || len(onWorker.calls("UpsertMemo")) != 1 {
		t.Error("an interceptor of the user's was passed over")
	}
}

// TestInterceptorsPlacedByOthersStopTheWorker: what another plugin adds after the
// guard's would stand inside it.
func TestInterceptorsPlacedByOthersStopTheWorker(t *testing.T) {
	for _, tc := range []struct {
		name   string
		allow  []string
		meddle func(r *rig)
		want   string
	}{
		{name: "nobody", meddle: func(*rig) {}},
		{name: "after ours on the worker", want: "*interceptor_test.spy", meddle: func(r *rig) {
			r.worker.Interceptors = append(r.worker.Interceptors, &spy{})
		}},
		{name: "before ours on the worker", meddle: func(r *rig) {
			r.worker.Interceptors = append([]interceptor.WorkerInterceptor{&spy{}}, r.worker.Interceptors...)
		}},
		{name: "before ours on the client", want: "*interceptor_test.both", meddle: func(r *rig) {
			r.client.Interceptors = append([]interceptor.ClientInterceptor{&both{spy: &spy{}}}, r.client.Interceptors...)
		}},
		{name: "after ours on the client", meddle: func(r *rig) {
			r.client.Interceptors = slices.Insert(r.client.Interceptors, 1, interceptor.ClientInterceptor(&both{spy: &spy{}}))
		}},
		{name: "instead of ours on the worker", want: "that replaced the worker's list", meddle: func(r *rig) {
			r.worker.Interceptors = []interceptor.WorkerInterceptor{&spy{}}
		}},
		{name: "instead of ours on the client", want: "that replaced the client's list", meddle: func(r *rig) { r.client.Interceptors = nil }},
		{name: "allowed by name", allow: []string{"*interceptor_test.spy"}, meddle: func(r *rig) {
			r.worker.Interceptors = append(r.worker.Interceptors, &spy{})
		}},
		{name: "another is allowed", allow: []string{"*interceptor_test.both"}, want: "*interceptor_test.spy", meddle: func(r *rig) {
			r.worker.Interceptors = append(r.worker.Interceptors, &spy{})
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, "")
			opts.AllowInside = tc.allow
			r := newRig(t, opts)
			r.configure(t)
			tc.meddle(r)
			started, err := r.start(t.Context())
			if tc.want == "" {
				if err != nil || !started {
					t.Errorf("started %v, %v", started, err)
				}
				return
			}
			if started || err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "not started") {
				t.Errorf("started %v, %v", started, err)
			}
		})
	}
}

func pluginRefusal(t *testing.T) error {
	t.Helper()
	r := newRig(t, options(t, ""))
	r.configure(t)
	r.worker.Interceptors = append(r.worker.Interceptors, &spy{})
	_, err := r.start(t.Context())
	return err
}

// later is a plugin of somebody else's that adds an interceptor to each worker.
func later(tb testing.TB) *temporal.SimplePlugin {
	tb.Helper()
	p, err := temporal.NewSimplePlugin(temporal.SimplePluginOptions{Name: "later", WorkerInterceptors: []interceptor.WorkerInterceptor{&spy{}}})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// TestWorkersOfARealClient: the order in which plugins are registered decides, and
// a worker on a queue without a policy does not start. No server is asked.
func TestWorkersOfARealClient(t *testing.T) {
	for _, tc := range []struct {
		name, queue string
		order       func(ours, other client.Plugin) []client.Plugin
		want        string
	}{
		{"registered before another", testQueue, func(ours, other client.Plugin) []client.Plugin { return []client.Plugin{ours, other} }, "interceptor *interceptor_test.spy stands inside the guard"},
		{"unlisted queue", "elsewhere", func(ours, _ client.Plugin) []client.Plugin { return []client.Plugin{ours} }, `worker for task queue "elsewhere" not started: policy.yaml has no entry for it`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := guard.NewPlugin(options(t, ""))
			if err != nil {
				t.Fatal(err)
			}
			c, err := client.NewLazyClient(client.Options{HostPort: "127.0.0.1:1", Logger: discard{}, Plugins: tc.order(p, later(t))})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			err = worker.New(c, tc.queue, worker.Options{}).Start()
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// TestPluginTwiceOnOneClient is a mistake that would judge everything twice.
func TestPluginTwiceOnOneClient(t *testing.T) {
	p, err := guard.NewPlugin(options(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.NewLazyClient(client.Options{Logger: discard{}, Plugins: []client.Plugin{p, p}})
	if err == nil || !strings.Contains(err.Error(), "registered twice") {
		t.Errorf("got %v", err)
	}
}

// TestUnconfiguredWorker: the plugin was not there when the worker was made.
func TestUnconfiguredWorker(t *testing.T) {
	r := newRig(t, options(t, ""))
	if started, err := r.start(t.Context()); started || err == nil {
		t.Errorf("started %v, %v", started, err)
	}
}

// TestStartIsRecorded: with the queue, the policy, the active net and what the user
// accepted as unguarded.
func TestStartIsRecorded(t *testing.T) {
	encrypting := converter.NewCodecDataConverter(converter.GetDefaultDataConverter(), reversing{})
	for _, tc := range []struct {
		name, detail string
		dc           converter.DataConverter
	}{{"default converter", "net codec", nil}, {"a user's converter", "net values", encrypting}} {
		t.Run(tc.name, func(t *testing.T) {
			opts := options(t, "")
			r := newRig(t, opts)
			r.client.DataConverter = tc.dc
			r.client.Namespace = "production"
			r.configure(t)
			if _, err := r.start(t.Context()); err != nil {
				t.Fatal(err)
			}
			sink := opts.Audit.(*memorySink)
			sink.await(t, 1)
			got := sink.only(audit.ActionStart)
			policy, _ := opts.Policies.PolicyFor(guard.Queue{Name: testQueue})
			if len(got) != 1 || got[0].Queue != testQueue || got[0].Namespace != "production" || got[0].PolicyDigest != policy.Digest() ||
				got[0].Mode != "enforce" || !strings.HasPrefix(got[0].Detail, tc.detail) {
				t.Errorf("records %+v", got)
			}
			for _, name := range unguarded(t) {
				if !strings.Contains(got[0].Detail, name) {
					t.Errorf("the record lacks %s: %q", name, got[0].Detail)
				}
			}
		})
	}
}

// TestAcceptedMethodsAreRecorded: what a user lets past the guard stands in the
// audit.
func TestAcceptedMethodsAreRecorded(t *testing.T) {
	opts := options(t, "")
	opts.Unguarded = append(unguarded(t), "SomeFutureMethod")
	r := newRig(t, opts)
	r.configure(t)
	if _, err := r.start(t.Context()); err != nil {
		t.Fatal(err)
	}
	sink := opts.Audit.(*memorySink)
	sink.await(t, 1)
	if got := sink.only(audit.ActionStart)[0].Detail; !strings.Contains(got, "unguarded by option") || !strings.Contains(got, "SomeFutureMethod") {
		t.Errorf("detail %q", got)
	}
}

// TestStoppedWorkerIsForgotten: a worker that starts again was made again.
func TestStoppedWorkerIsForgotten(t *testing.T) {
	r := newRig(t, options(t, ""))
	r.configure(t)
	stopped := false
	r.plugin.StopWorker(t.Context(), worker.PluginStopWorkerOptions{WorkerInstanceKey: "key"},
		func(context.Context, worker.PluginStopWorkerOptions) { stopped = true })
	if started, err := r.start(t.Context()); started || err == nil || !stopped {
		t.Errorf("stopped %v, started %v, %v", stopped, started, err)
	}
}

// TestOptionFaults: each constructor names what is wrong.
func TestOptionFaults(t *testing.T) {
	for name, make := range constructors() {
		if err := make(guard.Options{Unguarded: unguarded(t)}); err == nil || !strings.Contains(err.Error(), "Options.Policies is required") {
			t.Errorf("%s without policies: %v", name, err)
		}
	}
	opts := options(t, "")
	opts.TaskQueue = "elsewhere"
	if _, err := guard.New(opts); err == nil {
		t.Error("New with an unlisted queue")
	}
	opts.Policies = zeroPolicies{}
	if _, err := guard.New(opts); err != nil {
		t.Errorf("a source that covers every queue: %v", err)
	}
}

// TestOptionsAreCopied: an Options value can be used and changed again.
func TestOptionsAreCopied(t *testing.T) {
	opts := options(t, bindReplace)
	opts.AllowInside = []string{"*interceptor_test.spyActivity"}
	g := newGuard(t, opts)
	opts.AllowInside[0] = "nobody"
	if _, err := attemptIn(attemptsOf(g, &spy{}), func(context.Context, tagInput) error { return nil }, tagInput{}); err != nil {
		t.Error(err)
	}
}

// TestReplayer: the plugin puts the workflow's guard into a replayer, first.
func TestReplayer(t *testing.T) {
	r := newRig(t, options(t, ""))
	mine := &spy{}
	opts := worker.WorkflowReplayerOptions{Interceptors: []interceptor.WorkerInterceptor{mine}}
	if err := r.plugin.ConfigureWorkflowReplayer(t.Context(), worker.PluginConfigureWorkflowReplayerOptions{WorkflowReplayerOptions: &opts}); err != nil {
		t.Fatal(err)
	}
	var types []string
	for _, i := range opts.Interceptors {
		types = append(types, fmt.Sprintf("%T", i))
	}
	if diff := cmp.Diff([]string{"*interceptor.workerGuard", "*interceptor_test.spy"}, types); diff != "" {
		t.Errorf("interceptors (-want +got):\n%s", diff)
	}
}

// TestPluginOnTheWorkerOnly: workflow code would go unguarded, so it does not start.
func TestPluginOnTheWorkerOnly(t *testing.T) {
	r := newRig(t, options(t, ""))
	if err := r.plugin.ConfigureWorker(t.Context(), worker.PluginConfigureWorkerOptions{
		WorkerInstanceKey: "key", TaskQueue: testQueue, WorkerOptions: &r.worker,
	}); err != nil {
		t.Fatal(err)
	}
	started, err := r.start(t.Context())
	if started || err == nil || !strings.Contains(err.Error(), "client.Options.Plugins") {
		t.Errorf("started %v: %v", started, err)
	}
}

// TestPluginOnClientAndWorker is named as what it is.
func TestPluginOnClientAndWorker(t *testing.T) {
	r := newRig(t, options(t, ""))
	r.configure(t)
	err := r.plugin.ConfigureWorker(t.Context(), worker.PluginConfigureWorkerOptions{
		WorkerInstanceKey: "key", TaskQueue: testQueue, WorkerOptions: &r.worker,
	})
	if err == nil || !strings.Contains(err.Error(), "on the client and on the worker") {
		t.Errorf("got %v", err)
	}
}

// TestTwoPluginsOfTheGuard: each would take the other for a stranger.
func TestTwoPluginsOfTheGuard(t *testing.T) {
	r := newRig(t, options(t, ""))
	other := newRig(t, options(t, ""))
	r.configure(t)
	other.client, other.worker = r.client, r.worker
	other.configure(t)
	r.client, r.worker = other.client, other.worker
	for _, each := range []*rig{r, other} {
		if started, err := each.start(t.Context()); started || err == nil || !strings.Contains(err.Error(), "two plugins of the guard") {
			t.Errorf("started %v: %v", started, err)
		}
	}
}
