// Command soak runs workflows with calls on every guarded channel under a
// policy that answers at random, with the workflow cache off, and replays all
// that they left:
//
//	go -C integration_test run ./cmd/soak -runs 200
//
// It exits with an error when a workflow task failed, a workflow did not end,
// or a history does not replay.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"slices"

	"go.temporal.io/sdk/worker"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/samples"
	"github.com/sandboxguard/sandboxguard/integration_test/internal/soak"
)

func main() {
	var o soak.Options
	flag.IntVar(&o.Runs, "runs", 200, "how many workflows to run")
	flag.IntVar(&o.Parallel, "parallel", 8, "how many of them at the same time")
	flag.Float64Var(&o.Refuse, "refuse", 0.3, "how likely the policy refuses, each time it is asked")
	cached := flag.Bool("cached", false, "keep the workflow cache, so that fewer tasks replay")
	flag.Parse()
	if !*cached {
		worker.SetStickyWorkflowCacheSize(0)
	}
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

func run(o soak.Options) error {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	server, err := harness.Start(ctx, harness.Options{SearchAttributes: samples.SearchAttributes()})
	if err != nil {
		return err
	}
	defer server.Stop()
	o.Progress = func(done int) {
		if done%20 == 0 || done == o.Runs {
			fmt.Printf("%d of %d workflows\n", done, o.Runs)
		}
	}
	result, err := soak.Run(ctx, server, o)
	if err != nil {
		return err
	}
	total := 0
	for _, channel := range slices.Sorted(maps.Keys(result.Refusals)) {
		fmt.Printf("  %-20s %d refused\n", channel, result.Refusals[channel])
		total += result.Refusals[channel]
	}
	fmt.Printf("%d workflows, %d histories, %d refusals, %d replays: %d failed workflow tasks, %d failures\n",
		result.Runs, result.Histories, total, result.Replays, result.FailedTasks, len(result.Failures))
	if result.FailedTasks > 0 {
		return errors.Join(append(result.Failures, errors.New("workflow tasks failed"))...)
	}
	return errors.Join(result.Failures...)
}
