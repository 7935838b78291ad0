package samples

import (
	"context"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/workflow"
)

// propagator hands a baggage map along by context, as tracing does.
type propagator struct{}

type baggageKey struct{}

const baggageHeader = "baggage"

var _ workflow.ContextPropagator = propagator{}

func (propagator) Inject(ctx context.Context, w workflow.HeaderWriter) error {
	return write(ctx.Value(baggageKey{}), w)
}

func (propagator) InjectFromWorkflow(ctx workflow.Context, w workflow.HeaderWriter) error {
	return write(ctx.Value(baggageKey{}), w)
}

func (propagator) Extract(ctx context.Context, r workflow.HeaderReader) (context.Context, error) {
	baggage, err := read(r)
	return context.WithValue(ctx, baggageKey{}, baggage), err
}

func (propagator) ExtractToWorkflow(ctx workflow.Context, r workflow.HeaderReader) (workflow.Context, error) {
	baggage, err := read(r)
	return workflow.WithValue(ctx, baggageKey{}, baggage), err
}

func write(value any, w workflow.HeaderWriter) error {
	baggage, ok := value.(map[string]string)
	if !ok {
		return nil
	}
	payload, err := converter.GetDefaultDataConverter().ToPayload(baggage)
	if err != nil {
		return err
	}
	w.Set(baggageHeader, payload)
	return nil
}

func read(r workflow.HeaderReader) (map[string]string, error) {
	payload, ok := r.Get(baggageHeader)
	if !ok {
		return nil, nil
	}
	var baggage map[string]string
	err := converter.GetDefaultDataConverter().FromPayload(payload, &baggage)
	return baggage, err
}

// trace asks an activity and a local activity what they carry.
func trace(ctx workflow.Context) ([]string, error) {
	answers := make([]string, 2)
	ctx = quick(ctx)
	if err := workflow.ExecuteActivity(ctx, carried).Get(ctx, &answers[0]); err != nil {
		return nil, err
	}
	near := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: nearTimeout})
	err := workflow.ExecuteLocalActivity(near, carried).Get(ctx, &answers[1])
	return answers, err
}

func carried(ctx context.Context) (string, error) {
	baggage, _ := ctx.Value(baggageKey{}).(map[string]string)
	return baggage["trace"], nil
}

func contextPropagation() Sample {
	return Sample{
		Name:       "context-propagation",
		Workflows:  workflows(trace),
		Activities: activities(carried),
		Client:     client.Options{ContextPropagators: []workflow.ContextPropagator{propagator{}}},
		Drive: func(ctx context.Context, e Env) (Outcome, error) {
			baggage := map[string]string{"trace": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
			run, err := e.start(context.WithValue(ctx, baggageKey{}, baggage), trace)
			if err != nil {
				return Outcome{}, err
			}
			return outcome[[]string](ctx, run)
		},
		Want: `["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"]`,
	}
}
