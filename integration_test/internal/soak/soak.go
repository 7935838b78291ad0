package soak

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/gauntlet"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	guard "github.com/sandboxguard/sandboxguard/interceptor"
)

// Options says how much is run. The zero value runs nothing.
type Options struct {
	// Runs is how many workflows are run to their end.
	Runs int
	// Parallel is how many run at the same time; less than one is one.
	Parallel int
	// Refuse is the probability that the policy refuses, each time it is asked.
	Refuse float64
	// Progress is told after each workflow, by one caller at a time. Nil is
	// told nothing.
	Progress func(done int)
}

// Result is what the soak found. All of it but Runs, Refusals and Replays must
// be zero.
type Result struct {
	Runs, Histories, Replays int
	// Refusals counts the refused calls by channel.
	Refusals gauntlet.Report
	// FailedTasks counts workflow tasks that failed or timed out.
	FailedTasks int
	// Failures are the workflows that did not end as they should, and the
	// histories that do not replay.
	Failures []error
}

// Run runs the soak on a server. The caller has switched the workflow cache off
// (worker.SetStickyWorkflowCacheSize(0)) before the process made its first
// worker; with a cache the soak still runs but shows less.
func Run(ctx context.Context, server *harness.Server, o Options) (Result, error) {
	dice, err := gauntlet.Dice(o.Refuse)
	if err != nil {
		return Result{}, err
	}
	plugin, err := guard.NewPlugin(guard.Options{Policies: dice, Resolver: gauntlet.Resolver("soaked-7f31c0de55aa")})
	if err != nil {
		return Result{}, err
	}
	guarded, err := server.Client(client.Options{Plugins: []client.Plugin{plugin}})
	if err != nil {
		return Result{}, err
	}
	plain, err := server.Client(client.Options{})
	if err != nil {
		return Result{}, err
	}
	queue := harness.ID("soak")
	w, err := harness.NewWorker(guarded, queue, worker.Options{})
	if err != nil {
		return Result{}, err
	}
	gauntlet.Register(w)
	gauntlet.RegisterActivities(w)
	if err := w.Start(); err != nil {
		return Result{}, fmt.Errorf("soak: start worker: %w", err)
	}
	defer w.Stop()

	s := &soak{client: plain, queue: queue, options: o, result: Result{Refusals: gauntlet.Report{}}}
	s.run(ctx)
	return s.result, ctx.Err()
}

type soak struct {
	client  client.Client
	queue   string
	options Options

	mu     sync.Mutex
	result Result
}

func (s *soak) run(ctx context.Context) {
	var running sync.WaitGroup
	left := make(chan int)
	for range max(1, s.options.Parallel) {
		running.Go(func() {
			for range left {
				s.one(ctx)
			}
		})
	}
	for i := range s.options.Runs {
		left <- i
	}
	close(left)
	running.Wait()
}

// one runs a workflow to its end and replays every history that it left.
func (s *soak) one(ctx context.Context) {
	id := harness.ID(s.queue)
	report, err := gauntlet.Drive(ctx, s.client, s.queue, id, plan())
	var family []harness.Run
	if err == nil {
		family, err = harness.Family(ctx, s.client, id, "")
	}
	failures := []error{err}
	tasks, replays := 0, 0
	for _, run := range family {
		for _, failed := range harness.FailedTasks(run.History) {
			tasks++
			failures = append(failures, fmt.Errorf("failed workflow task: %s", failed))
		}
		for _, refuse := range []float64{0, 1, 0.5} {
			replays++
			failures = append(failures, replay(run, refuse))
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.result.Runs++
	s.result.Histories += len(family)
	s.result.Replays += replays
	s.result.FailedTasks += tasks
	for channel := range maps.Keys(report) {
		s.result.Refusals[channel] += report[channel]
	}
	if err := errors.Join(failures...); err != nil {
		s.result.Failures = append(s.result.Failures, fmt.Errorf("%s: %w", id, err))
	}
	if s.options.Progress != nil {
		s.options.Progress(s.result.Runs)
	}
}

// plan varies what is called, so that ordinals do not line up between runs.
func plan() gauntlet.Plan {
	p := gauntlet.Full()
	p.Fan = rand.IntN(4)
	p.Rounds = rand.IntN(2)
	if rand.IntN(4) == 0 {
		p.HostPath = ""
	}
	return p
}

// replay replays one history under a policy that refuses with a probability.
func replay(run harness.Run, refuse float64) error {
	dice, err := gauntlet.Dice(refuse)
	if err != nil {
		return err
	}
	plugin, err := guard.NewPlugin(guard.Options{Policies: dice})
	if err != nil {
		return err
	}
	options := harness.ReplayOptions{Replayer: worker.WorkflowReplayerOptions{Plugins: []worker.Plugin{plugin}}}
	return harness.Replay(run.History, options, gauntlet.Register)
}
