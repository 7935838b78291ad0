package samples

import (
	"context"
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

type booking struct {
	Step      string         `json:"step"`
	Reference string         `json:"reference"`
	Payment   map[string]any `json:"payment,omitempty"`
}

type tripReport struct {
	Failure string   `json:"failure"`
	Undone  []string `json:"undone"`
}

// trip books three things in turn. When one fails it undoes the earlier ones
// in reverse order, in a context that a cancellation does not reach.
func trip(ctx workflow.Context, payment map[string]any) (tripReport, error) {
	var report tripReport
	ctx = quick(ctx)
	var compensations []booking
	compensate := func() error {
		undoCtx, _ := workflow.NewDisconnectedContext(ctx)
		for i := len(compensations) - 1; i >= 0; i-- {
			var step string
			if err := workflow.ExecuteActivity(undoCtx, undo, compensations[i]).Get(undoCtx, &step); err != nil {
				return err
			}
			report.Undone = append(report.Undone, step)
		}
		return nil
	}
	for _, step := range []string{"flight", "hotel", "car"} {
		var b booking
		err := workflow.ExecuteActivity(ctx, reserve, booking{Step: step, Payment: payment}).Get(ctx, &b)
		if failed, ok := errors.AsType[*temporal.ApplicationError](err); ok {
			report.Failure = failed.Message()
			return report, compensate()
		}
		if err != nil {
			return report, err
		}
		compensations = append(compensations, b)
	}
	return report, nil
}

func reserve(_ context.Context, b booking) (booking, error) {
	if b.Step == "car" {
		return booking{}, temporal.NewNonRetryableApplicationError("no car left", "SoldOut", nil, b.Payment)
	}
	b.Reference = b.Step + "-0001"
	return b, nil
}

func undo(_ context.Context, b booking) (string, error) { return b.Reference, nil }

func saga() Sample {
	return Sample{
		Name:       "saga",
		Workflows:  workflows(trip),
		Activities: activities(reserve, undo),
		Drive: simple[tripReport](trip, map[string]any{
			"method": "invoice", "amount": 12345, "checksum": "b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c",
		}),
		Want: `{"failure":"no car left","undone":["hotel-0001","flight-0001"]}`,
	}
}
