package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/sandboxguard/sandboxguard/integration_test/internal/harness"
)

// A shape is how activities are spread over workflows.
type shape struct {
	name                string
	workflows, sequence int
}

// warmUp is how many rounds are not counted: the server makes its queues then.
const warmUp = 2

// measure returns the seconds of each round by variant.
func (s shape) measure(ctx context.Context, variants []*variant, rounds int) (map[string][]float64, error) {
	random := rand.New(rand.NewPCG(1, 2))
	times := map[string][]float64{}
	for round := range warmUp + rounds {
		random.Shuffle(len(variants), func(i, j int) { variants[i], variants[j] = variants[j], variants[i] })
		for _, v := range variants {
			took, err := s.round(ctx, v)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", s.name, v.name, err)
			}
			if round >= warmUp {
				times[v.name] = append(times[v.name], took.Seconds())
			}
		}
	}
	return times, nil
}

// round runs the workflows and returns the time to the end of the last activity,
// which this process sees by itself: a client is sometimes told of an end late.
func (s shape) round(ctx context.Context, v *variant) (time.Duration, error) {
	ended := v.expect(s.workflows * s.sequence)
	began := time.Now()
	runs := make([]client.WorkflowRun, s.workflows)
	for i := range runs {
		run, err := v.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: harness.ID("bench"), TaskQueue: v.queue}, jobs, s.sequence, v.manifest)
		if err != nil {
			return 0, err
		}
		runs[i] = run
	}
	select {
	case last := <-ended:
		for _, run := range runs {
			if err := run.Get(ctx, nil); err != nil {
				return 0, err
			}
		}
		return last.Sub(began), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
