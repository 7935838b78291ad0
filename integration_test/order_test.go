package integration_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/legacy"
	"github.com/sandboxguard/sandboxguard/secrets"
)

// spy is an interceptor that keeps everything it sees of activities: what they
// are given, what they return, what they say on the way.
type spy struct {
	interceptor.InterceptorBase
	name string
	kept *overheard
}

// overheard is what all spies of a test saw.
type overheard struct {
	mu    sync.Mutex
	lines map[string][]string
}

func (o *overheard) add(spy string, values ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lines == nil {
		o.lines = map[string][]string{}
	}
	for _, v := range values {
		line := fmt.Sprintf("%v %+v", v, v)
		if err, ok := v.(error); ok {
			line += err.Error()
		}
		if tag, ok := v.(legacy.Tag[secrets.Value]); ok {
			// What a curious interceptor would do.
			text, _ := tag.Token.Reveal()
			line += text
		}
		o.lines[spy] = append(o.lines[spy], line)
	}
}

func (o *overheard) of(spy string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.lines[spy], "\n")
}

func (s *spy) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	i := &spyInbound{spy: s}
	i.Next = next
	return i
}

func (s *spy) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	i := &spyWorkflow{spy: s}
	i.Next = next
	return i
}

type spyInbound struct {
	interceptor.ActivityInboundInterceptorBase
	spy *spy
}

func (i *spyInbound) Init(out interceptor.ActivityOutboundInterceptor) error {
	o := &spyOutbound{spy: i.spy}
	o.Next = out
	return i.Next.Init(o)
}

func (i *spyInbound) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	i.spy.kept.add(i.spy.name, in.Args...)
	result, err := i.Next.ExecuteActivity(ctx, in)
	i.spy.kept.add(i.spy.name, result, err)
	return result, err
}

type spyOutbound struct {
	interceptor.ActivityOutboundInterceptorBase
	spy *spy
}

func (o *spyOutbound) RecordHeartbeat(ctx context.Context, details ...any) {
	o.spy.kept.add(o.spy.name, details...)
	o.Next.RecordHeartbeat(ctx, details...)
}

type spyWorkflow struct {
	interceptor.WorkflowInboundInterceptorBase
	spy *spy
}

func (i *spyWorkflow) ExecuteWorkflow(ctx workflow.Context, in *interceptor.ExecuteWorkflowInput) (any, error) {
	result, err := i.Next.ExecuteWorkflow(ctx, in)
	i.spy.kept.add(i.spy.name, result, err)
	return result, err
}

// adding is a plugin that adds an interceptor to the worker or to the client,
// at either end of the list.
func adding(t *testing.T, i *spy, inside bool) *temporal.SimplePlugin {
	t.Helper()
	p, err := temporal.NewSimplePlugin(temporal.SimplePluginOptions{
		Name: "adding " + i.name,
		ConfigureWorker: func(_ context.Context, o worker.PluginConfigureWorkerOptions) error {
			if inside {
				o.WorkerOptions.Interceptors = append(o.WorkerOptions.Interceptors, i)
			}
			return nil
		},
		ConfigureClient: func(_ context.Context, o client.PluginConfigureClientOptions) error {
			if !inside {
				o.ClientOptions.Interceptors = append([]interceptor.ClientInterceptor{i}, o.ClientOptions.Interceptors...)
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const orderGrants = "mode: enforce\ngrants: [{secret: deploy, to: {activity: PushTag, input: /0/token}}]\n"

// TestAnInterceptorInsideStopsTheWorker has a plugin, registered after the
// guard, place an interceptor between the guard and the activities, or in front
// of the guard on the client. The worker must not start, and the message must
// name the interceptor, unless it is allowed by name.
func TestAnInterceptorInsideStopsTheWorker(t *testing.T) {
	t.Parallel()
	for _, inside := range []bool{true, false} {
		for _, allowed := range []bool{false, true} {
			t.Run(fmt.Sprintf("inside the worker %v, allowed %v", inside, allowed), func(t *testing.T) {
				t.Parallel()
				ctx := limited(t)
				kept := &overheard{}
				r := newRig(t, orderGrants, func(r *rig) {
					if allowed {
						r.options.AllowInside = []string{fmt.Sprintf("%T", &spy{})}
					}
				})
				plugins := []client.Plugin{plugin(t, r.options), adding(t, &spy{name: "inside", kept: kept}, inside)}
				r.client = server.Dial(t, client.Options{Logger: r.log, Plugins: plugins})
				w, err := harness.NewWorker(r.client, r.queue, worker.Options{})
				if err == nil {
					registerDeliver(&legacy.Seen{})(w)
					if err = w.Start(); err == nil {
						t.Cleanup(w.Stop)
					}
				}
				if !allowed {
					if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%T", &spy{})) {
						t.Errorf("start = %v, want a refusal that names the interceptor", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if err := r.start(ctx, t, r.plain, deliver, r.queue, "a note", secrets.Env("DEPLOY_TOKEN")).Get(ctx, nil); err != nil {
					t.Fatal(err)
				}
				if saw := strings.Contains(kept.of("inside"), r.secret); saw != inside {
					t.Errorf("the allowed interceptor saw the secret: %v, want %v", saw, inside)
				}
			})
		}
	}
}

// TestNoInterceptorSeesAValue puts interceptors everywhere a program can put
// them, and has an activity spill its secret in every way it can.
func TestNoInterceptorSeesAValue(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	kept := &overheard{}
	named := func(name string) *spy { return &spy{name: name, kept: kept} }
	r := newRig(t, orderGrants)
	before, err := temporal.NewSimplePlugin(temporal.SimplePluginOptions{
		Name:               "before",
		ClientInterceptors: []interceptor.ClientInterceptor{named("plugin's on the client")},
		WorkerInterceptors: []interceptor.WorkerInterceptor{named("plugin's on the worker")},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.client = server.Dial(t, client.Options{
		Logger:       r.log,
		Interceptors: []interceptor.ClientInterceptor{named("first on the client"), named("second on the client")},
		Plugins:      []client.Plugin{before, plugin(t, r.options)},
	})
	harness.Worker(t, r.client, r.queue, worker.Options{
		Interceptors: []interceptor.WorkerInterceptor{named("first on the worker"), named("second on the worker")},
	}, func(w worker.Registry) {
		w.RegisterWorkflow(deliver)
		registerSpill(w)
	})
	err = r.start(ctx, t, r.plain, deliver, r.queue, "a note", secrets.Env("DEPLOY_TOKEN")).Get(ctx, nil)
	if err == nil {
		t.Error("the activity that spills its secret did not fail")
	}
	for _, name := range []string{
		"plugin's on the client", "plugin's on the worker", "first on the client", "second on the client",
		"first on the worker", "second on the worker",
	} {
		saw := kept.of(name)
		if !strings.Contains(saw, "v3") || !strings.Contains(saw, "spilled") {
			t.Errorf("%s saw nothing of the activity: it is not in the chain", name)
		}
		if len(harness.Search(r.secret, []harness.Blob{{Where: name, Data: []byte(saw)}})) > 0 {
			t.Errorf("%s saw the secret", name)
		}
	}
	r.absent(ctx, t, r.secret)
}
