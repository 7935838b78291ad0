package integration_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/gauntlet"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// TestAnAllowedRunHasNotOneEventMore compares a run with a call on every
// guarded channel, all of them allowed, with the recording of the same run
// without the guard, for every way of registering the guard.
func TestAnAllowedRunHasNotOneEventMore(t *testing.T) {
	t.Parallel()
	recorded := recording(t, "guarded", "unguarded")
	for _, way := range []string{"plugin", "interceptors", "everything at once, with others between"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			ctx := limited(t)
			r := newRig(t, "mode: report\nliterals: report\ngrants: [{secret: deploy, to: {activity: UseTool, input: /0/token}}]\n")
			clientOptions, workerOptions := registeredAs(t, way, r)
			c := server.Dial(t, clientOptions)
			harness.Worker(t, c, r.queue, workerOptions, func(w worker.Registry) {
				gauntlet.Register(w)
				gauntlet.RegisterActivities(w)
			})
			if _, err := gauntlet.Drive(ctx, r.plain, r.queue, r.queue, gauntlet.Full()); err != nil {
				t.Fatal(err)
			}
			family := r.family(ctx, t)
			if len(family) != len(recorded) {
				t.Fatalf("%d runs, want %d", len(family), len(recorded))
			}
			for i, run := range family {
				if diff := cmp.Diff(harness.CountSteady(recorded[i]), harness.CountSteady(run.History)); diff != "" {
					t.Errorf("run %d: other events than without the guard (-without +with):\n%s", i+1, diff)
				}
			}
			if injected := len(r.sink.of("inject")); injected != 2 {
				t.Errorf("%d injections, want one in each of two rounds, however often the guard is registered", injected)
			}
			r.absent(ctx, t, r.secret)
		})
	}
}

// TestRefusalsAreRecordedOnceHoweverOftenRegistered runs the gauntlet under a
// policy that refuses all of it, with the guard on the client, on the worker
// and as a plugin at once, and other interceptors between. It must leave what
// the recording with the plugin alone left, and replay with the plugin alone.
func TestRefusalsAreRecordedOnceHoweverOftenRegistered(t *testing.T) {
	t.Parallel()
	ctx := limited(t)
	r := newRig(t, "mode: enforce\n", func(r *rig) { r.options.Policies = policies(t, gauntlet.Closed) })
	clientOptions, workerOptions := registeredAs(t, "everything at once, with others between", r)
	c := server.Dial(t, clientOptions)
	harness.Worker(t, c, r.queue, workerOptions, func(w worker.Registry) {
		gauntlet.Register(w)
		gauntlet.RegisterActivities(w)
	})
	if _, err := gauntlet.Drive(ctx, r.plain, r.queue, r.queue, gauntlet.Full()); err != nil {
		t.Fatal(err)
	}
	family, recorded := r.family(ctx, t), recording(t, "guarded", "refused")
	if len(family) != len(recorded) {
		t.Fatalf("%d runs, want %d", len(family), len(recorded))
	}
	for i, run := range family {
		if diff := cmp.Diff(harness.CountSteady(recorded[i]), harness.CountSteady(run.History)); diff != "" {
			t.Errorf("run %d: other events than with one guard (-one +several):\n%s", i+1, diff)
		}
		for _, way := range registrations() {
			options := harness.ReplayOptions{}
			way.add(t, guard.Options{Policies: policies(t, gauntlet.Open)}, &options.Replayer)
			if err := harness.Replay(run.History, options, gauntlet.Register); err != nil {
				t.Errorf("run %d: replay with the guard as %s: %v", i+1, way.name, err)
			}
		}
	}
}

// registeredAs returns options that register a rig's guard in one of the ways
// that a program can choose.
func registeredAs(t *testing.T, way string, r *rig) (client.Options, worker.Options) {
	t.Helper()
	asInterceptor := func() interceptor.WorkerInterceptor {
		i, err := guard.New(r.options)
		if err != nil {
			t.Fatal(err)
		}
		return i
	}
	c, err := guard.NewClient(r.options)
	if err != nil {
		t.Fatal(err)
	}
	switch way {
	case "plugin":
		return client.Options{Logger: r.log, Plugins: []client.Plugin{plugin(t, r.options)}}, worker.Options{}
	case "interceptors":
		return client.Options{Logger: r.log, Interceptors: []interceptor.ClientInterceptor{c}},
			worker.Options{Interceptors: []interceptor.WorkerInterceptor{asInterceptor()}}
	default:
		clientOptions := client.Options{
			Logger: r.log, Plugins: []client.Plugin{plugin(t, r.options)},
			Interceptors: []interceptor.ClientInterceptor{&onlooker{}, c, &onlooker{}},
		}
		workerOptions := worker.Options{
			Interceptors: []interceptor.WorkerInterceptor{&onlooker{}, asInterceptor(), &onlooker{}, asInterceptor()},
		}
		return clientOptions, workerOptions
	}
}
