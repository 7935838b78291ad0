package samples

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

type invoice struct {
	Number string         `json:"number"`
	Lines  []int          `json:"lines"`
	Extra  map[string]any `json:"extra"`
}

type invoiceReport struct {
	Total   int    `json:"total"`
	Flaky   string `json:"flaky"`
	Printed string `json:"printed"`
	Failed  string `json:"failed"`
}

// nearTimeout bounds a local activity, attempts included.
const nearTimeout = 10 * time.Second

// billing works with local activities that share a pointer with the workflow,
// and hands the same object to an ordinary activity afterwards.
func billing(ctx workflow.Context, in *invoice) (invoiceReport, error) {
	var report invoiceReport
	near := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		ScheduleToCloseTimeout: nearTimeout,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: time.Millisecond, MaximumAttempts: 3},
	})
	if err := workflow.ExecuteLocalActivity(near, total, in).Get(ctx, &report.Total); err != nil {
		return report, err
	}
	if err := workflow.ExecuteLocalActivity(near, flaky, in.Extra).Get(ctx, &report.Flaky); err != nil {
		return report, err
	}
	err := workflow.ExecuteLocalActivity(near, refuse, in).Get(ctx, nil)
	if failed, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		report.Failed = failed.Message()
	}
	in.Extra["total"] = report.Total
	err = workflow.ExecuteActivity(quick(ctx), printInvoice, in).Get(ctx, &report.Printed)
	return report, err
}

func total(_ context.Context, in *invoice) (int, error) {
	sum := 0
	for _, line := range in.Lines {
		sum += line
	}
	return sum, nil
}

func flaky(ctx context.Context, extra map[string]any) (string, error) {
	if activity.GetInfo(ctx).Attempt < 2 {
		return "", errors.New("busy")
	}
	customer, _ := extra["customer"].(string)
	return customer, nil
}

func refuse(_ context.Context, in *invoice) error {
	return temporal.NewNonRetryableApplicationError("no stamp", "Refused", nil, in.Number)
}

func printInvoice(_ context.Context, in *invoice) (string, error) { return "printed " + in.Number, nil }

func localActivities() Sample {
	return Sample{
		Name:       "local-activities",
		Workflows:  workflows(billing),
		Activities: activities(total, flaky, refuse, printInvoice),
		Drive: simple[invoiceReport](billing, &invoice{
			Number: "2027-0042", Lines: []int{10, 20, 12}, Extra: map[string]any{"customer": "Lin", "sandbox": false},
		}),
		Want: `{"total":42,"flaky":"Lin","printed":"printed 2027-0042","failed":"no stamp"}`,
	}
}
